import type { Assistant, AssistantGraph } from '@langchain/langgraph-sdk';
import { queryOptions } from '@tanstack/react-query';
import { get, post } from './http.ts';
import type { JsonSchema } from './json-schema.ts';

const MAX = 1000;

/** Path of the deployment's agent server behind the gateway. */
export const agentPath = (deploymentId: string): string => `/d/${deploymentId}`;

/** Input and output schemas of an assistant; null if the graph declares none. */
export interface AssistantSchemas {
  graph_id: string;
  input_schema: JsonSchema | null;
  output_schema: JsonSchema | null;
  state_schema: JsonSchema | null;
  config_schema: JsonSchema | null;
  context_schema: JsonSchema | null;
}

export const assistantsQuery = (deploymentId: string) =>
  queryOptions({
    queryKey: ['agent', deploymentId, 'assistants'],
    queryFn: ({ signal }) =>
      post<Assistant[]>(
        `${agentPath(deploymentId)}/assistants/search`,
        { limit: MAX, sort_by: 'name', sort_order: 'asc' },
        { signal },
      ),
    staleTime: 30_000,
  });

export const schemasQuery = (deploymentId: string, assistantId: string) =>
  queryOptions({
    queryKey: ['agent', deploymentId, 'schemas', assistantId],
    queryFn: ({ signal }) =>
      get<AssistantSchemas>(`${agentPath(deploymentId)}/assistants/${assistantId}/schemas`, { signal }),
    staleTime: 60_000,
  });

/** `xray` includes subgraphs, whose nodes are named `parent:child`. */
export const graphQuery = (deploymentId: string, assistantId: string, xray: boolean) =>
  queryOptions({
    queryKey: ['agent', deploymentId, 'graph', assistantId, xray],
    queryFn: ({ signal }) =>
      get<AssistantGraph>(`${agentPath(deploymentId)}/assistants/${assistantId}/graph`, {
        query: { xray },
        signal,
      }),
    staleTime: 60_000,
  });
