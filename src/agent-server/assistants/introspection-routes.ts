import type { Context } from 'koa';
import { Type } from 'typebox';
import { InvalidRequest, PublicError } from '../../platform/errors.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, JsonObject } from '../../platform/schema.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { callerOf } from '../caller.ts';
import { GraphUnreadable } from '../errors.ts';
import type { RunnableConfig, Xray } from '../../graph-protocol/messages.ts';
import { graphSchemas } from './graph-schemas.ts';
import { AssistantPath } from '../records/assistant.ts';
import { readAssistant } from '../auth/assistant-access.ts';

const JsonSchema = Type.Union([JsonObject, Type.Null()]);
const Schemas = Type.Object({
  input_schema: JsonSchema,
  output_schema: JsonSchema,
  state_schema: JsonSchema,
  config_schema: JsonSchema,
  context_schema: JsonSchema,
});

const Drawing = Type.Object({
  nodes: Type.Array(
    Type.Object({
      id: Type.String(),
      type: Type.String(),
      data: Type.Union([Type.String(), JsonObject]),
      metadata: Type.Optional(JsonObject),
    }),
  ),
  edges: Type.Array(
    Type.Object({
      source: Type.String(),
      target: Type.String(),
      data: Type.Optional(Type.String()),
      conditional: Type.Optional(Type.Boolean()),
    }),
  ),
});

const route = { method: 'get', tags: ['Assistants'] } as const;
const SubgraphPath = Type.Object({ ...AssistantPath.properties, namespace: Type.String() });
const SubgraphQuery = Type.Object({ recurse: Type.Boolean({ default: false }) });
const Subgraphs = Type.Record(Type.String(), Schemas);

/** The structure of an assistant's graph: drawing, schemas, subgraphs. */
export const introspectionRoutes = (deps: AgentDeps): Route[] => [
  defineRoute({
    ...route,
    path: '/assistants/{assistant_id}/graph',
    operationId: 'getAssistantGraph',
    summary: 'Draw the graph of an assistant',
    params: AssistantPath,
    query: Type.Object({
      xray: Type.String({ default: 'false', description: 'open subgraphs: false, true or how many levels' }),
    }),
    responses: { 200: Drawing, 404: Detail, 422: Detail },
    handle: ({ params, query, ctx }) => {
      const xray = readXray(query.xray);
      return inspect(deps, ctx, params.assistant_id, 'graph.draw', { xray });
    },
  }),
  defineRoute({
    ...route,
    path: '/assistants/{assistant_id}/schemas',
    operationId: 'getAssistantSchemas',
    summary: 'Get the JSON schemas of the graph of an assistant',
    params: AssistantPath,
    responses: { 200: Type.Object({ graph_id: Type.String(), ...Schemas.properties }), 404: Detail },
    async handle({ params, ctx }) {
      const { graph_id } = await readAssistant(deps, callerOf(ctx), params.assistant_id);
      return { graph_id, ...(await graphSchemas(deps, graph_id)) };
    },
  }),
  defineRoute({
    ...route,
    path: '/assistants/{assistant_id}/subgraphs',
    operationId: 'getAssistantSubgraphs',
    summary: 'Get the JSON schemas of the subgraphs of an assistant',
    params: AssistantPath,
    query: SubgraphQuery,
    responses: { 200: Subgraphs, 404: Detail, 422: Detail },
    handle: ({ params, query: { recurse }, ctx }) =>
      inspect(deps, ctx, params.assistant_id, 'graph.subgraphs', { recurse }),
  }),
  defineRoute({
    ...route,
    path: '/assistants/{assistant_id}/subgraphs/{namespace}',
    operationId: 'getAssistantSubgraph',
    summary: 'Get the JSON schemas of one subgraph of an assistant',
    params: SubgraphPath,
    query: SubgraphQuery,
    responses: { 200: Subgraphs, 404: Detail, 422: Detail },
    handle: ({ params: { assistant_id, namespace }, query: { recurse }, ctx }) =>
      inspect(deps, ctx, assistant_id, 'graph.subgraphs', { namespace, recurse }),
  }),
];

function readXray(text: string): Xray {
  const lower = text.toLowerCase();
  if (lower === 'true') return true;
  if (lower === 'false' || lower === '0') return false;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidRequest('query.xray must be true, false or a positive integer');
}

/** Throws AssistantNotFound, GraphNotFound; GraphUnreadable if the graph's own code fails. */
async function inspect<Result>(
  { project, hosts, ...deps }: AgentDeps,
  ctx: Context,
  ref: string,
  method: 'graph.draw' | 'graph.subgraphs',
  options: { xray?: Xray; namespace?: string; recurse?: boolean },
): Promise<Result> {
  const { graph_id, config, context } = await readAssistant(deps, callerOf(ctx), ref);
  project.require(graph_id);
  const configured: RunnableConfig = { configurable: {}, ...config, context };
  try {
    return await hosts.call<Result>(method, { graph_id, config: configured, ...options });
  } catch (error) {
    throw error instanceof PublicError ? error : new GraphUnreadable(graph_id);
  }
}
