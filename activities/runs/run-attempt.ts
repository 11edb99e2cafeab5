import type { Logger } from 'pino';
import { isTransient, type Queryable } from '../../src/platform/db/database.ts';
import type { AgentDeps } from '../../src/agent-server/agent-deps.ts';
import { RunFenced } from '../../src/agent-server/errors.ts';
import { EventClock } from '../../src/agent-server/events/event-id.ts';
import { EventWriter } from '../../src/agent-server/events/event-writer.ts';
import { postgresStorage } from '../../src/agent-server/checkpoints/postgres-storage.ts';
import { fromWireUnit, type WireUnit } from '../../src/graph-protocol/checkpoint-wire.ts';
import type { RunAnswer, StateSummary } from '../../src/graph-protocol/messages.ts';
import { RemoteError } from '../../src/graph-protocol/remote-error.ts';
import type { HostCallOptions } from '../../src/agent-server/hosts/graph-host.ts';
import { HostLost } from '../../src/agent-server/hosts/host-pool.ts';
import { currentState } from '../../src/agent-server/runs/current-state.ts';
import { endsWithin } from '../../src/agent-server/runs/ends-within.ts';
import type { FeedbackUrls } from '../../src/agent-server/runs/feedback.ts';
import { type Claim, releaseRun } from '../../src/agent-server/runs/run-claim.ts';
import { runRequest } from '../../src/agent-server/runs/run-request.ts';
import { resultText } from '../../src/agent-server/runs/run-result.ts';
import type { PublicFailure } from '../../src/platform/redaction/public-failure.ts';
import { settleRun } from '../../src/agent-server/runs/run-settlement.ts';
import type { AttemptEnd, StopCause } from '../../src/agent-server/runs/running-runs.ts';

// Counts from the moment its nodes have left or were given up.
const HOST_ANSWERS_WITHIN_MS = 5_000;

/** One attempt at a claimed run: drives the graph in a host, publishes its events and settles the run. */
export class RunAttempt {
  readonly #deps: AgentDeps;
  readonly #claim: Claim;
  readonly #clock: EventClock;
  readonly #writer: EventWriter;
  readonly #stop: AbortSignal;
  readonly #log: Logger;
  readonly #db: Queryable;
  readonly #claimedAt = performance.now();
  /** Interrupts at the end of the stream, published with the outcome, so that a client can resume at once. */
  readonly #interrupts: { event: string; data: string }[] = [];
  /** Set when our database, not the graph, failed. */
  #lost: unknown;
  #feedback: Promise<FeedbackUrls | undefined> | undefined;

  constructor(deps: AgentDeps, claim: Claim, stop: AbortSignal) {
    this.#deps = deps;
    this.#claim = claim;
    this.#stop = stop;
    this.#log = deps.log.child({ run_id: claim.run_id, thread_id: claim.thread_id, attempt: claim.attempt });
    this.#clock = new EventClock(claim.now_ms, claim.last_event_ms);
    this.#db = {
      query: (text, values) => deps.db.query(text, values).catch((error) => this.#noteLoss(error)),
    };
    this.#writer = new EventWriter({
      db: this.#db,
      fence: claim,
      threadId: claim.thread_id,
      clock: this.#clock,
      resumable: claim.kwargs.resumable,
    });
  }

  async execute(timeoutMs: number): Promise<AttemptEnd> {
    const { attempt, elapsed_ms, run_id } = this.#claim;
    const { SLIPWAY_RUN_ATTEMPTS: most } = this.#deps.config;
    if (attempt > most) {
      const failure = { error: 'RetryBudgetSpent', message: `The run did not end in ${most} attempts` };
      return this.#settle('error', undefined, failure);
    }
    this.#openFeedback();
    if (attempt === 1) this.#deps.metrics.started(this.#claim.waited_ms / 1000);
    const timeout = AbortSignal.timeout(Math.max(0, Math.ceil(timeoutMs - elapsed_ms)));
    const signal = AbortSignal.any([this.#stop, timeout]);
    try {
      void this.#writer.write('metadata', JSON.stringify({ run_id, attempt }));
      const { units, ...state } = await this.#drive(signal);
      return await this.#settle(state.waiting ? 'interrupted' : 'success', state, null, units);
    } catch (error) {
      if (this.#stop.aborted) return this.#leave(this.#stop.reason as StopCause);
      if (!timeout.aborted) return this.#fail(error);
      const failure = { error: 'TimeoutError', message: `The run exceeded its limit of ${timeoutMs} ms` };
      return this.#settle('error', await currentState(this.#deps, this.#claim), failure);
    }
  }

  async #drive(signal: AbortSignal): Promise<RunAnswer> {
    const { hosts, config } = this.#deps;
    const leave_ms = config.SLIPWAY_LEAVE_SECONDS * 1000;
    const request = runRequest(this.#claim, leave_ms);
    const options: HostCallOptions = {
      signal,
      storage: postgresStorage(this.#db, this.#claim),
      onData: (event, data) => this.#publish(event, data.toString()),
    };
    const running = hosts.losses.needsOwnHost(request.run_id)
      ? hosts.callAlone<RunAnswer>('run', request, options)
      : hosts.call<RunAnswer>('run', request, options);
    const answer = await endsWithin(running, signal, leave_ms + HOST_ANSWERS_WITHIN_MS);
    signal.throwIfAborted();
    return answer;
  }

  #publish(event: string, data: string): Promise<void> | undefined {
    if (data.length > this.#deps.config.SLIPWAY_EVENT_LIMIT_BYTES) {
      this.#log.warn({ event, chars: data.length }, 'event dropped: larger than SLIPWAY_EVENT_LIMIT_BYTES');
      return undefined;
    }
    if (data.startsWith('{"__interrupt__":')) {
      this.#interrupts.push({ event, data });
      return undefined;
    }
    for (const held of this.#interrupts.splice(0)) void this.#writer.write(held.event, held.data);
    return this.#writer.write(event, data);
  }

  /** Runs alongside the graph; failures here don't fail the run. */
  #openFeedback(): void {
    const { run_id, kwargs } = this.#claim;
    if (!kwargs.feedback_keys) return;
    this.#feedback = this.#deps.feedback.open(run_id, kwargs.feedback_keys).catch((error: unknown) => {
      this.#log.warn({ err: error }, 'could not create feedback addresses for the run');
      return undefined;
    });
  }

  async #settle(
    status: 'success' | 'error' | 'interrupted',
    state: StateSummary | undefined,
    error: PublicFailure | null,
    units: WireUnit[] = [],
  ): Promise<AttemptEnd> {
    const { run_id, thread_id, epoch, kwargs } = this.#claim;
    const [feedback, last] = await Promise.all([this.#feedback, this.#writer.take()]);
    const settled = await settleRun(this.#deps.db, {
      run_id,
      thread_id,
      epoch,
      status,
      state,
      error,
      units: units.map(fromWireUnit),
      events: [
        ...last,
        ...this.#interrupts.map((interrupt) => ({ id: this.#clock.next(), ...interrupt })),
        ...(feedback ? [this.#event('feedback', feedback)] : []),
        ...(error ? [this.#event('error', error)] : []),
        this.#event('run_done', { status: 'run_done', run_id }),
      ],
      resumable: kwargs.resumable,
      webhook: Boolean(kwargs.webhook),
      thread_expires_in: kwargs.temporary ? this.#deps.config.SLIPWAY_EVENT_RETENTION_SECONDS : undefined,
      output: resultText({ error, state, feedback }),
    });
    this.#deps.hosts.losses.forget(run_id);
    const ms = this.#claim.elapsed_ms + performance.now() - this.#claimedAt;
    this.#deps.metrics.settled(status, ms / 1000);
    this.#log.info({ status, ms: Math.round(ms) }, 'run settled');
    return settled === 'followed' ? settled : 'settled';
  }

  #event(event: string, data: unknown) {
    return { id: this.#clock.next(), event, data: JSON.stringify(data) };
  }

  /** The graph was stopped early: the workflow settles the run. */
  async #leave(cause: StopCause): Promise<AttemptEnd> {
    await this.#writer.close().catch(() => {});
    this.#log.info({ cause }, 'run stopped');
    if (cause !== 'shutdown') return 'stopped';
    await releaseRun(this.#deps.db, this.#claim);
    throw new Error('The worker is stopping; another one continues the run');
  }

  /** A graph's error is the run's outcome; a lost host or database calls for another attempt. */
  async #fail(error: unknown): Promise<AttemptEnd> {
    if (error instanceof RunFenced) return 'stopped';
    if (error instanceof HostLost) return this.#loseHost(error);
    if (this.#lost) {
      this.#log.warn({ err: this.#lost }, 'run attempt lost its database');
      throw this.#lost as Error;
    }
    if (!(error instanceof RemoteError)) throw error;
    const failure = { error: error.name, message: error.message };
    return this.#settle('error', await currentState(this.#deps, this.#claim), failure);
  }

  /** A host shared with other runs may have been lost to any of them: the loss counts against none. */
  async #loseHost(error: HostLost): Promise<never> {
    const { hosts, db } = this.#deps;
    const { run_id } = this.#claim;
    await this.#writer.close().catch(() => {});
    if (!hosts.losses.needsOwnHost(run_id)) await releaseRun(db, this.#claim);
    hosts.losses.note(run_id);
    throw error;
  }

  #noteLoss(error: unknown): never {
    if (isTransient(error)) this.#lost = error;
    throw error;
  }
}
