import { Type } from 'typebox';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { SseStream } from '../../platform/http/sse.ts';
import { Detail, StringEnum, Uuid } from '../../platform/schema.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { callerOf } from '../caller.ts';
import { reachThread } from '../auth/thread-access.ts';
import { ThreadNotFound } from '../errors.ts';
import { EventFollower } from '../events/event-follower.ts';
import type { RunEvent } from '../events/event-frame.ts';
import { formatEventId, parseLastEventId } from '../events/event-id.ts';
import { threadExists } from '../records/thread-repository.ts';

const ThreadStreamModes = Type.Optional(Type.Array(StringEnum(['run_modes', 'lifecycle', 'state_update'])));

/** Selects the log entries that a thread stream shows (contract §4.8). */
function passes(modes: string[]): (event: RunEvent) => boolean {
  const all = modes.includes('run_modes');
  const lifecycle = all || modes.includes('lifecycle');
  return ({ event }) => {
    if (event === 'state_update') return modes.includes('state_update');
    if (event === 'metadata' || event === 'run_done') return lifecycle;
    return all;
  };
}

export const threadStreamRoutes = (deps: AgentDeps): Route[] => [
  defineRoute({
    method: 'get',
    path: '/threads/{thread_id}/stream',
    operationId: 'streamThread',
    tags: ['Threads'],
    summary: 'Stream what happens on a thread, run after run',
    params: Type.Object({ thread_id: Uuid }),
    query: Type.Object({ stream_mode: ThreadStreamModes, stream_modes: ThreadStreamModes }),
    responses: {
      200: { description: 'Server-sent events', content: 'text/event-stream' },
      404: Detail,
      422: Detail,
    },
    async handle({ params: { thread_id }, query, ctx }) {
      await reachThread(deps, callerOf(ctx), 'read', thread_id);
      const after = parseLastEventId(ctx.get('last-event-id') || undefined);
      const shown = passes(query.stream_mode ?? query.stream_modes ?? ['run_modes']);
      let stream: SseStream | undefined;
      const held: RunEvent[] = [];
      const send = (events: RunEvent[]) =>
        stream?.send(
          events.filter(shown).map(({ id, event, data }) => ({
            event: event === 'run_done' ? 'metadata' : event,
            data,
            id: formatEventId(id),
          })),
        );
      const follower = new EventFollower(
        deps,
        thread_id,
        {
          onEvents: (_run, events) => (stream ? send(events) : void held.push(...events)),
          onEnd() {},
          onGone: () =>
            void threadExists(deps.db, thread_id)
              .catch(() => false)
              .then((exists) => exists || stream?.end()),
          onGap() {},
          onFailure: () => stream?.end(),
        },
        { after },
      );
      try {
        await follower.ready;
        if (!(await threadExists(deps.db, thread_id))) throw new ThreadNotFound(thread_id);
      } catch (error) {
        follower.close();
        throw error;
      }
      if (after) follower.replay();
      stream = new SseStream(ctx, {
        heartbeatMs: deps.config.SLIPWAY_KEEP_ALIVE_SECONDS * 1000,
        limitBytes: deps.config.SLIPWAY_READER_LIMIT_BYTES,
        onClose: () => follower.close(),
      });
      send(held);
    },
  }),
];
