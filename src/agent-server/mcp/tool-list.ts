import type { ListToolsResult, Tool } from '@modelcontextprotocol/sdk/types.js';
import { INVALID_PARAMS, JsonRpcError } from '../../platform/http/json-rpc.ts';
import { systemAssistantId } from '../../platform/ids.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { graphSchemas } from '../assistants/graph-schemas.ts';
import { type AssistantTool, listTools, type ToolReach } from '../assistants/tool-repository.ts';
import type { Caller } from '../caller.ts';
import { toolInputSchema } from './tool-input-schema.ts';

const PAGE = 100;

/**
 * One page of the assistants the caller can see, as tools (contract §10). Throws JsonRpcError for an invalid cursor.
 */
export async function listAssistantTools(
  deps: AgentDeps,
  caller: Caller,
  cursor: string | undefined,
): Promise<ListToolsResult> {
  const offset = cursor === undefined ? 0 : readCursor(cursor);
  const reach = await toolReach(deps, caller, { limit: PAGE, offset });
  const tools = await listTools(deps.db, reach, { limit: PAGE, offset });
  return {
    tools: await Promise.all(tools.slice(0, PAGE).map((tool) => describeTool(deps, tool))),
    ...(tools.length > PAGE && { nextCursor: writeCursor(offset + PAGE) }),
  };
}

/** Which assistants are tools for the caller: those it can find, and the graphs' own. */
export async function toolReach(
  { access, project }: AgentDeps,
  caller: Caller,
  asked: object,
): Promise<ToolReach> {
  const filter = await access.authorize(caller, 'assistants', 'search', asked);
  return { filter, system: [...project.graphs.keys()].map(systemAssistantId) };
}

async function describeTool(
  deps: AgentDeps,
  { tool_name, name, description, graph_id }: AssistantTool,
): Promise<Tool> {
  // An assistant may outlive its graph; in that case the call fails.
  const graph = deps.project.graphs.get(graph_id);
  const schemas = graph && (await graphSchemas(deps, graph_id));
  return {
    name: tool_name,
    title: name,
    description: description ?? graph?.description ?? `Runs the assistant ${name}`,
    inputSchema: toolInputSchema(schemas?.input_schema ?? null),
  };
}

const writeCursor = (offset: number): string => Buffer.from(String(offset)).toString('base64url');

function readCursor(cursor: string): number {
  const text = Buffer.from(cursor, 'base64url').toString();
  if (!/^\d{1,9}$/.test(text)) throw new JsonRpcError(INVALID_PARAMS, 'Invalid cursor');
  return Number(text);
}
