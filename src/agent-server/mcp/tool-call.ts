import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { type Static, Type } from 'typebox';
import { INVALID_PARAMS, JsonRpcError } from '../../platform/http/json-rpc.ts';
import { JsonObject } from '../../platform/schema.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { findTool } from '../assistants/tool-repository.ts';
import { startFollowed } from '../runs/followed-run.ts';
import { newRunRequest, type RequestOrigin } from '../runs/run-plan.ts';
import { resultOf } from '../runs/run-result.ts';
import type { RunCreate } from '../records/run.ts';
import { toolReach } from './tool-list.ts';

export const ToolCall = Type.Object({
  name: Type.String({ minLength: 1 }),
  arguments: Type.Optional(JsonObject),
  context: Type.Optional(JsonObject),
});
export type ToolCall = Static<typeof ToolCall>;

export interface StartedCall {
  result: Promise<CallToolResult>;
  /** Detaches the caller, who is gone; the run continues without a reader. */
  letGo(): void;
}

/** Runs a tool's assistant without a thread. Throws JsonRpcError for an unknown tool, and the errors of `acceptRun`. */
export async function startToolCall(
  deps: AgentDeps,
  { name, arguments: input = {}, context }: ToolCall,
  origin: RequestOrigin,
): Promise<StartedCall> {
  const tool = await findTool(deps.db, await toolReach(deps, origin.caller, {}), name);
  if (!tool) throw new JsonRpcError(INVALID_PARAMS, `Unknown tool: ${name}`);
  const request = newRunRequest(undefined, origin);
  const create: RunCreate = {
    assistant_id: tool.assistant_id,
    input,
    ...(context && { context }),
    stream_mode: [],
    multitask_strategy: 'enqueue',
  };
  const follower = await startFollowed(deps, create, request);
  return {
    result: follower.ended
      .then((end) => resultOf(deps, request.run_id, end))
      .then(toolResult)
      .finally(() => follower.close()),
    letGo: () => follower.close(),
  };
}

function toolResult(output: string): CallToolResult {
  const { __error__: failure } = JSON.parse(output) as { __error__?: { error: string; message: string } };
  const text = failure ? `${failure.error}: ${failure.message}` : output;
  return { content: [{ type: 'text', text }], isError: failure !== undefined };
}
