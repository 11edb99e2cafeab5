import type { Context } from 'koa';
import { type Static, Type } from 'typebox';
import { BadRequest, NotFound } from '../../platform/errors.ts';
import { JsonRpcId, JsonRpcResponse, rpcError, rpcResult } from '../../platform/http/json-rpc.ts';
import { rpcFailure, rpcFailureInBody } from '../../platform/http/json-rpc-failure.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { answerSlowly } from '../../platform/http/slow-json.ts';
import { SseStream } from '../../platform/http/sse.ts';
import { Detail, JsonObject } from '../../platform/schema.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { originOf } from '../runs/run-routes.ts';
import { refuseForeignOrigin } from './foreign-origin.ts';
import { answerMcp, answerStateless } from './mcp-methods.ts';
import { isStateless, RefusedRequest } from './protocol-revision.ts';

/** A request, a notification (no id), or a client's response to a request we never send (no method). */
const Message = Type.Object({
  jsonrpc: Type.Literal('2.0'),
  id: Type.Optional(JsonRpcId),
  method: Type.Optional(Type.String()),
  params: Type.Optional(JsonObject),
});
type Message = Static<typeof Message>;

/** Model Context Protocol over streamable HTTP, without sessions: every request is self-contained (contract §10). */
export const mcpRoutes = (deps: AgentDeps): Route[] => {
  const answer = async (ctx: Context, { id, method, params = {} }: Message) => {
    refuseForeignOrigin(ctx, deps);
    if (!/application\/json|text\/event-stream/i.test(ctx.get('accept')))
      throw new BadRequest('Accept must contain application/json or text/event-stream');
    const log = (error: unknown) => deps.log.error({ err: error, method }, 'MCP request failed');
    try {
      const stateless = isStateless(ctx, method, params);
      if (id === undefined || method === undefined) {
        ctx.status = 202;
        ctx.body = '';
        return undefined;
      }
      if (stateless && method === 'subscriptions/listen') return listen(ctx, deps, id);
      const request = { deps, method, params, origin: originOf(ctx) };
      const answered = await (stateless ? answerStateless(request) : answerMcp(request));
      if (!('started' in answered)) return rpcResult(id, answered);
      const { result, letGo } = answered.started;
      const response = result.then(
        (done) => rpcResult(id, done),
        (error: unknown) => rpcError(id, rpcFailureInBody(error, log)),
      );
      const everyMs = deps.config.SLIPWAY_KEEP_ALIVE_SECONDS * 1000;
      await answerSlowly(ctx, everyMs, response.then(JSON.stringify), letGo);
      return undefined;
    } catch (error) {
      if (error instanceof RefusedRequest) ctx.status = error.status;
      return rpcError(id ?? null, rpcFailure(error, log));
    }
  };

  return [
    defineRoute({
      method: 'post',
      path: '/mcp',
      operationId: 'postMcp',
      tags: ['MCP'],
      summary: 'Model Context Protocol: one JSON-RPC message; assistants are tools',
      body: Message,
      responses: {
        200: JsonRpcResponse,
        202: { description: 'A notification or a response, taken' },
        400: Type.Union([Detail, JsonRpcResponse]),
        403: Detail,
        404: JsonRpcResponse,
      },
      refuseBody(error) {
        throw new BadRequest(error.message);
      },
      handle: ({ body, ctx }) => answer(ctx, body),
    }),
    // There are no sessions to delete; GET, which would open a server stream, returns 405.
    defineRoute({
      method: 'delete',
      path: '/mcp',
      operationId: 'deleteMcpSession',
      tags: ['MCP'],
      summary: 'End a session',
      hidden: true,
      responses: { 404: Detail },
      handle() {
        throw new NotFound();
      },
    }),
  ];
};

/** Acknowledges a subscription. Its stream stays empty: the server announces no list changes. */
function listen(ctx: Context, { config }: AgentDeps, id: JsonRpcId): undefined {
  const stream = new SseStream(ctx, {
    heartbeatMs: config.SLIPWAY_KEEP_ALIVE_SECONDS * 1000,
    limitBytes: config.SLIPWAY_READER_LIMIT_BYTES,
    onClose() {},
  });
  const acknowledged = {
    jsonrpc: '2.0',
    method: 'notifications/subscriptions/acknowledged',
    params: { _meta: { 'io.modelcontextprotocol/subscriptionId': id }, notifications: {} },
  };
  stream.send([{ event: 'message', data: JSON.stringify(acknowledged) }]);
}
