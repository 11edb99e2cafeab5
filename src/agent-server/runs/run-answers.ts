import type { Context } from 'koa';
import type { RunFollower } from './run-follower.ts';
import { followRun } from './run-follower.ts';
import { formatEventId, type EventId } from '../events/event-id.ts';
import type { RunEvent } from '../events/event-frame.ts';
import { SseStream } from '../../platform/http/sse.ts';
import { answerSlowly } from '../../platform/http/slow-json.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { cancelRun } from './run-cancellation.ts';
import { resultOf } from './run-result.ts';

export interface Followed {
  thread_id: string;
  run_id: string;
}

export interface StreamOptions {
  after?: EventId | undefined;
  /** Filters events by name; all pass if absent. */
  passes?: (event: string) => boolean;
  /** Event ids are sent only if events are stored. */
  resumable: boolean;
  cancelOnDisconnect: boolean;
  /** The run does not exist yet. */
  expected?: boolean;
}

/** Follows a run before its response stream opens, and buffers events until then. */
export class RunStream {
  readonly follower: RunFollower;
  readonly #deps: AgentDeps;
  readonly #run: Followed;
  readonly #options: StreamOptions;
  #held: RunEvent[] | undefined = [];
  #stream: SseStream | undefined;

  constructor(deps: AgentDeps, run: Followed, options: StreamOptions) {
    this.#deps = deps;
    this.#run = run;
    this.#options = options;
    this.follower = followRun(deps, run.thread_id, run.run_id, {
      after: options.after,
      expected: options.expected ?? false,
      onEvents: (events) => (this.#held ? void this.#held.push(...events) : this.#send(events)),
    });
  }

  /** Starts streaming events to the client until the run ends; returns immediately. */
  open(ctx: Context): void {
    const { config } = this.#deps;
    if (hasLeft(ctx)) {
      this.follower.close();
      if (this.#options.cancelOnDisconnect) cancelAbandoned(this.#deps, this.#run);
      return;
    }
    let ended = false;
    this.#stream = new SseStream(ctx, {
      heartbeatMs: config.SLIPWAY_KEEP_ALIVE_SECONDS * 1000,
      limitBytes: config.SLIPWAY_READER_LIMIT_BYTES,
      onClose: () => {
        this.follower.close();
        if (!ended && this.#options.cancelOnDisconnect) cancelAbandoned(this.#deps, this.#run);
      },
    });
    const held = this.#held ?? [];
    this.#held = undefined;
    this.#send(held);
    void this.follower.ended.then(() => {
      ended = true;
      this.#stream?.end();
    });
  }

  #send(events: RunEvent[]): void {
    const { passes, resumable } = this.#options;
    const shown = events.filter(({ event }) => event !== 'run_done' && (passes?.(event) ?? true));
    this.#stream?.send(
      shown.map(({ id, event, data }) => ({ event, data, ...(resumable && { id: formatEventId(id) }) })),
    );
  }
}

/** Responds with the run's result when it ends (contract §5.3). */
export async function answerResult(
  deps: AgentDeps,
  ctx: Context,
  run: Followed,
  follower: RunFollower,
  cancelOnDisconnect: boolean,
): Promise<void> {
  if (hasLeft(ctx)) {
    follower.close();
    if (cancelOnDisconnect) cancelAbandoned(deps, run);
    return;
  }
  const answer = follower.ended.then((end) => resultOf(deps, run.run_id, end));
  try {
    await answerSlowly(ctx, deps.config.SLIPWAY_KEEP_ALIVE_SECONDS * 1000, answer, () => {
      if (cancelOnDisconnect) cancelAbandoned(deps, run);
      follower.close();
    });
  } finally {
    follower.close();
  }
}

/** True if the client disconnected before we listened for `close`, which is not emitted again. */
function hasLeft(ctx: Context): boolean {
  if (!ctx.res.destroyed) return false;
  ctx.respond = false;
  return true;
}

function cancelAbandoned(deps: AgentDeps, run: Followed): void {
  cancelRun(deps, run, 'interrupt').catch((error: unknown) =>
    deps.log.warn({ err: error, run_id: run.run_id }, 'could not cancel an abandoned run'),
  );
}
