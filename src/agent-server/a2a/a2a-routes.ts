import type { Context } from 'koa';
import { type Static, Type } from 'typebox';
import { BadRequest, InvalidJson } from '../../platform/errors.ts';
import {
  INVALID_REQUEST,
  JsonRpcError,
  JsonRpcRequest,
  JsonRpcResponse,
  PARSE_ERROR,
  readableId,
  rpcError,
  rpcResult,
} from '../../platform/http/json-rpc.ts';
import { rpcFailure, rpcFailureInBody } from '../../platform/http/json-rpc-failure.ts';
import { systemAssistantId } from '../../platform/ids.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { answerSlowly } from '../../platform/http/slow-json.ts';
import { SseStream } from '../../platform/http/sse.ts';
import { Detail, JsonObject } from '../../platform/schema.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { AssistantPath } from '../records/assistant.ts';
import { requireAssistant } from '../records/assistant-reference.ts';
import { readAssistant } from '../auth/assistant-access.ts';
import { callerOf } from '../caller.ts';
import { answerA2a, STREAMS } from './a2a-methods.ts';
import { agentCard, agentUrl, sendCard } from './agent-card.ts';

/** Agent2Agent: assistants are agents, threads are contexts, runs are tasks (contract §11). */
export const a2aRoutes = (deps: AgentDeps): Route[] => {
  // Same rule as for starting runs: everyone may use the graphs' own assistants (contract §13.2).
  const reachable = async (ctx: Context, ref: string) =>
    deps.project.graphs.has(ref) ||
    [...deps.project.graphs.keys()].some((id) => systemAssistantId(id) === ref)
      ? requireAssistant(deps.db, ref)
      : readAssistant(deps, callerOf(ctx), ref);
  const card = async (ctx: Context, ref: string) => {
    const assistant = await reachable(ctx, ref);
    return sendCard(ctx, agentCard(deps, assistant, agentUrl(deps, ctx, assistant.assistant_id)));
  };
  const answer = async (
    ctx: Context,
    ref: string,
    { id, method, params = {} }: Static<typeof JsonRpcRequest>,
  ) => {
    // The Python SDK accepts any type.
    if (!/application\/json|text\/event-stream|\*\/\*/i.test(ctx.get('accept')))
      throw new BadRequest('Accept must contain application/json or text/event-stream');
    const assistant = await reachable(ctx, ref);
    const log = (error: unknown) => deps.log.error({ err: error, method }, 'A2A request failed');
    try {
      const answered = await answerA2a(method, { deps, ctx, assistant, id, params });
      if (!answered) return undefined;
      if ('result' in answered) return rpcResult(id, answered.result);
      const response = answered.later.then(
        (result) => rpcResult(id, result),
        (error: unknown) => rpcError(id, rpcFailureInBody(error, log)),
      );
      const everyMs = deps.config.SLIPWAY_KEEP_ALIVE_SECONDS * 1000;
      await answerSlowly(ctx, everyMs, response.then(JSON.stringify), answered.onGone);
      return undefined;
    } catch (error) {
      const failure = rpcError(id, rpcFailure(error, log));
      // Clients that expect a stream can't read a JSON response.
      const asJson = !STREAMS.has(method) || /application\/json|\*\/\*/i.test(ctx.get('accept'));
      return asJson ? failure : sendOneFrame(ctx, failure);
    }
  };

  const route = { tags: ['A2A'], responses: { 200: JsonObject, 400: Detail, 404: Detail, 422: Detail } };
  const cardOf = { ...route, method: 'get', params: AssistantPath, summary: 'The card of an agent' } as const;
  return [
    defineRoute({
      ...route,
      method: 'post',
      path: '/a2a/{assistant_id}',
      operationId: 'postA2a',
      summary:
        'Agent2Agent: one JSON-RPC request; message/stream and its like answer with server-sent events',
      params: AssistantPath,
      body: JsonRpcRequest,
      responses: { 200: JsonRpcResponse, 400: Detail, 404: Detail },
      refuseBody: (error, sent) =>
        rpcError(
          readableId(sent),
          new JsonRpcError(error instanceof InvalidJson ? PARSE_ERROR : INVALID_REQUEST, error.message),
        ),
      handle: ({ params, body, ctx }) => answer(ctx, params.assistant_id, body),
    }),
    ...['', '/.well-known/agent-card.json', '/.well-known/agent.json'].map((end, index) =>
      defineRoute({
        ...cardOf,
        path: `/a2a/{assistant_id}${end}`,
        operationId: `getAgentCard${index || ''}`,
        hidden: index !== 1,
        handle: ({ params, ctx }) => card(ctx, params.assistant_id),
      }),
    ),
    defineRoute({
      ...route,
      method: 'get',
      path: '/.well-known/agent-card.json',
      operationId: 'getWellKnownAgentCard',
      summary: 'The card of the agent that assistant_id names',
      query: Type.Object({ assistant_id: Type.Optional(Type.String()) }),
      handle({ query, ctx }) {
        if (!query.assistant_id) throw new BadRequest('assistant_id is required');
        return card(ctx, query.assistant_id);
      },
    }),
  ];
};

function sendOneFrame(ctx: Context, envelope: object): undefined {
  const stream = new SseStream(ctx, { heartbeatMs: 60_000, limitBytes: Infinity, onClose() {} });
  stream.send([{ event: 'message', data: JSON.stringify(envelope) }]);
  stream.end();
}
