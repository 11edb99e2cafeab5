import { readFile } from 'node:fs/promises';
import type { InitializeResult } from '@modelcontextprotocol/sdk/types.js';
import { Type } from 'typebox';
import { JsonRpcError, METHOD_NOT_FOUND } from '../../platform/http/json-rpc.ts';
import { packageRoot } from '../../platform/package-root.ts';
import { compileValidator } from '../../platform/schema.ts';
import type { AgentDeps } from '../agent-deps.ts';
import type { RequestOrigin } from '../runs/run-plan.ts';
import { type StartedCall, startToolCall, ToolCall } from './tool-call.ts';
import { listAssistantTools } from './tool-list.ts';

/** Oldest first. */
export const PROTOCOL_VERSIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];

const { version } = JSON.parse(await readFile(new URL('package.json', packageRoot), 'utf8')) as {
  version: string;
};

const checkInitialize = compileValidator(Type.Object({ protocolVersion: Type.String() }), 'params');
const checkList = compileValidator(Type.Object({ cursor: Type.Optional(Type.String()) }), 'params');
const checkCall = compileValidator(ToolCall, 'params');

/** Answers a method at once, or with the call it started (contract §10). Throws JsonRpcError, InvalidRequest. */
export async function answerMcp(
  deps: AgentDeps,
  method: string,
  params: object,
  origin: RequestOrigin,
): Promise<object | { started: StartedCall }> {
  switch (method) {
    case 'initialize':
      return initialize(checkInitialize(params).protocolVersion);
    case 'ping':
      return {};
    case 'tools/list':
      return listAssistantTools(deps, origin.caller, checkList(params).cursor);
    case 'tools/call':
      return { started: await startToolCall(deps, checkCall(params), origin) };
    default:
      throw new JsonRpcError(METHOD_NOT_FOUND, `Method not found: ${method}`);
  }
}

const initialize = (asked: string): InitializeResult => ({
  protocolVersion: PROTOCOL_VERSIONS.includes(asked) ? asked : PROTOCOL_VERSIONS.at(-1)!,
  capabilities: { tools: { listChanged: false } },
  serverInfo: { name: 'slipway', version },
});
