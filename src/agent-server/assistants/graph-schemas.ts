import type { GraphSchemas } from '../../graph-protocol/messages.ts';
import type { AgentDeps } from '../agent-deps.ts';

/** JSON schemas of a graph, falling back to its source types if they are unknown at run time. */
export const graphSchemas = ({ project, hosts }: AgentDeps, graph_id: string): Promise<GraphSchemas> =>
  hosts.call('graph.schemas', { graph_id: project.require(graph_id).graph_id });
