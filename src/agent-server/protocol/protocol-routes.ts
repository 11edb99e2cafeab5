import type { Context } from 'koa';
import { Type } from 'typebox';
import { BadRequest, type PublicError } from '../../platform/errors.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { SseStream } from '../../platform/http/sse.ts';
import { acceptUpgrade } from '../../platform/http/upgrade.ts';
import { Detail, Uuid } from '../../platform/schema.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { callerOf } from '../caller.ts';
import { ThreadNotFound } from '../errors.ts';
import { originOf } from '../runs/run-routes.ts';
import { answerCommand, Command, CommandAnswer } from './command.ts';
import { EventFilter } from './event-filter.ts';
import { EventStream } from './event-stream.ts';
import { findCommandedThread } from './protocol-repository.ts';
import { runCommands } from './run-commands.ts';
import { SocketSession } from './socket-session.ts';
import { stateCommands } from './state-commands.ts';
import { parseCursor } from './stream-cursor.ts';

const ThreadPath = Type.Object({ thread_id: Uuid });
const path = '/threads/{thread_id}/stream/events';

/** These clients expect 400 for an invalid body (contract §15). */
function asBadRequest(refused: PublicError): never {
  throw refused.status === 422 ? new BadRequest(refused.message) : refused;
}

/** The event-streaming protocol of newer clients (contract §15). */
export function protocolRoutes(deps: AgentDeps): Route[] {
  /** Clients may subscribe to a thread before creating it; a thread they can't access is reported as missing. */
  const reach = async (ctx: Context, thread_id: string) => {
    const filter = await deps.access.authorize(callerOf(ctx), 'threads', 'read', { thread_id });
    const thread = await findCommandedThread(deps.db, thread_id, filter);
    if (thread && !thread.passes) throw new ThreadNotFound(thread_id);
    return filter;
  };
  const commandsOf = (ctx: Context, threadId: string) => ({
    ...runCommands(deps, threadId, originOf(ctx)),
    ...stateCommands(deps, threadId, originOf(ctx)),
  });

  return [
    defineRoute({
      method: 'post',
      path,
      operationId: 'streamThreadEvents',
      tags: ['Event streaming'],
      summary: 'Stream the events of a thread, by channel and namespace',
      params: ThreadPath,
      body: EventFilter,
      refuseBody: asBadRequest,
      responses: {
        200: { description: 'Server-sent events', content: 'text/event-stream' },
        400: Detail,
        404: Detail,
        422: Detail,
      },
      async handle({ params: { thread_id }, body, ctx }) {
        const access = await reach(ctx, thread_id);
        let sse: SseStream | undefined;
        const cursor = parseCursor(ctx.get('last-event-id'));
        const stream = new EventStream(
          deps,
          thread_id,
          access,
          { ...body, cursor },
          {
            send: (events) =>
              sse?.send(
                events.map((event) => ({
                  event: event.method,
                  data: JSON.stringify(event),
                  id: String(event.seq),
                })),
              ),
            end: () => sse?.end(),
          },
        );
        try {
          await stream.ready;
        } catch (error) {
          stream.close();
          throw error;
        }
        if (ctx.res.destroyed) {
          stream.close();
          ctx.respond = false;
          return;
        }
        sse = new SseStream(ctx, {
          heartbeatMs: deps.config.SLIPWAY_KEEP_ALIVE_SECONDS * 1000,
          limitBytes: deps.config.SLIPWAY_READER_LIMIT_BYTES,
          onClose: () => stream.close(),
        });
        void stream.replay();
      },
    }),
    defineRoute({
      method: 'post',
      path: '/threads/{thread_id}/commands',
      operationId: 'sendThreadCommand',
      tags: ['Event streaming'],
      summary: 'Start a run, answer an interrupt, or look at a thread',
      params: ThreadPath,
      body: Command,
      refuseBody: asBadRequest,
      responses: { 200: CommandAnswer, 400: Detail, 422: Detail },
      handle: ({ params: { thread_id }, body, ctx }) =>
        answerCommand(commandsOf(ctx, thread_id), body, deps.log),
    }),
    defineRoute({
      method: 'get',
      path,
      operationId: 'openThreadSocket',
      tags: ['Event streaming'],
      summary: 'Commands and events of a thread over a WebSocket',
      hidden: true,
      params: ThreadPath,
      responses: { 404: Detail, 422: Detail, 426: Detail },
      async handle({ params: { thread_id }, ctx }) {
        const access = await reach(ctx, thread_id);
        acceptUpgrade(ctx, (socket) => {
          SocketSession.open(deps, { thread_id, access, socket, commands: commandsOf(ctx, thread_id) });
        });
      },
    }),
  ];
}
