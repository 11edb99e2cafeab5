import { readFile } from 'node:fs/promises';
import type { InitializeResult } from '@modelcontextprotocol/sdk/types.js';
import { Type } from 'typebox';
import { JsonRpcError, METHOD_NOT_FOUND } from '../../platform/http/json-rpc.ts';
import { packageRoot } from '../../platform/package-root.ts';
import { compileValidator } from '../../platform/schema.ts';
import type { AgentDeps } from '../agent-deps.ts';
import type { RequestOrigin } from '../runs/run-plan.ts';
import { HANDSHAKE_REVISIONS, RefusedRequest, STATELESS_REVISION } from './protocol-revision.ts';
import { type StartedCall, startToolCall, ToolCall } from './tool-call.ts';
import { listAssistantTools } from './tool-list.ts';

const { version } = JSON.parse(await readFile(new URL('package.json', packageRoot), 'utf8')) as {
  version: string;
};

const checkInitialize = compileValidator(Type.Object({ protocolVersion: Type.String() }), 'params');
const checkList = compileValidator(Type.Object({ cursor: Type.Optional(Type.String()) }), 'params');
const checkCall = compileValidator(ToolCall, 'params');

export interface McpRequest {
  deps: AgentDeps;
  method: string;
  params: object;
  origin: RequestOrigin;
}

type Answer = object | { started: StartedCall };

/** Answers a method immediately, or with the call it started (contract §10). Throws JsonRpcError, InvalidRequest. */
export async function answerMcp({ deps, method, params, origin }: McpRequest): Promise<Answer> {
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

/**
 * Like `answerMcp`, for the stateless revision: every result includes its type, the server, and a list's cache
 * lifetime.
 */
export async function answerStateless({ deps, method, params, origin }: McpRequest): Promise<Answer> {
  switch (method) {
    case 'server/discover':
      return complete({
        supportedVersions: [STATELESS_REVISION],
        capabilities,
        ttlMs: 3_600_000,
        cacheScope: 'public',
      });
    case 'tools/list': {
      const list = await listAssistantTools(deps, origin.caller, checkList(params).cursor);
      // Assistants change without notice to clients, so lists must not be cached.
      return complete({ ...list, ttlMs: 0, cacheScope: 'private' });
    }
    case 'tools/call': {
      const { result, letGo } = await startToolCall(deps, checkCall(params), origin);
      return { started: { result: result.then(complete), letGo } };
    }
    default:
      throw new RefusedRequest(404, METHOD_NOT_FOUND, `Method not found: ${method}`);
  }
}

const capabilities = { tools: { listChanged: false } };
const serverInfo = { name: 'slipway', version };

const initialize = (asked: string): InitializeResult => ({
  protocolVersion: HANDSHAKE_REVISIONS.includes(asked) ? asked : HANDSHAKE_REVISIONS.at(-1)!,
  capabilities,
  serverInfo,
});

const complete = <Result extends object>(result: Result) => ({
  resultType: 'complete',
  ...result,
  _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
});
