import type { Logger } from 'pino';
import type { ExecuteRunResult } from '../../../workflows/contracts.ts';
import { isTransient, type Queryable } from '../../platform/db/database.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { RunFenced } from '../errors.ts';
import { EventClock } from '../events/event-id.ts';
import { EventWriter } from '../events/event-writer.ts';
import { createCheckpointer } from '../../graph-host/checkpoints/checkpointer.ts';
import { readState, type StateSummary } from '../../graph-host/graphs/graph-state.ts';
import { type GraphEvent, streamGraph } from '../../graph-host/graphs/graph-stream.ts';
import { NodeTracker, trackNodes } from '../../graph-host/graphs/node-tracker.ts';
import type { GraphInstance } from '../../graph-host/project/project.ts';
import { type EngineConfig, engineConfig, engineInput } from '../../graph-host/runs/engine-input.ts';
import { feedbackUrls, openFeedback } from './feedback.ts';
import { publicFailure } from '../../platform/redaction/public-failure.ts';
import { type Claim, releaseRun } from './run-claim.ts';
import { resultText } from './run-result.ts';
import { type PublicFailure, settleRun } from './run-settlement.ts';
import type { StopCause } from './running-runs.ts';

/** One attempt at a claimed run: drives the graph, publishes what it says, and writes the outcome. */
export class RunAttempt {
  readonly #deps: AgentDeps;
  readonly #claim: Claim;
  readonly #clock: EventClock;
  readonly #writer: EventWriter;
  readonly #stop: AbortSignal;
  readonly #log: Logger;
  readonly #db: Queryable;
  readonly #nodes = new NodeTracker();
  readonly #claimedAt = performance.now();
  #graph: GraphInstance | undefined;
  /** Interrupts that no other event has followed: told with the run's end, so that they can be answered at once. */
  readonly #interrupts: GraphEvent[] = [];
  /** Set when our database, not the graph, failed. */
  #lost: unknown;
  /** Aborts when a checkpoint could not be written: the engine itself would go on until it waits for its writes. */
  readonly #broken = new AbortController();
  /** Whether its addresses for feedback lead somewhere. */
  #feedback: Promise<boolean> | undefined;

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

  async execute(timeoutMs: number): Promise<ExecuteRunResult> {
    const { attempt, elapsed_ms, run_id } = this.#claim;
    const { SLIPWAY_RUN_ATTEMPTS: most } = this.#deps.config;
    if (attempt > most) {
      const failure = { error: 'RetryBudgetSpent', message: `The run did not end in ${most} attempts` };
      return this.#settle('error', undefined, failure);
    }
    this.#openFeedback();
    if (attempt === 1) this.#deps.metrics.started(this.#claim.waited_ms / 1000);
    const timeout = AbortSignal.timeout(Math.max(0, Math.ceil(timeoutMs - elapsed_ms)));
    const signal = AbortSignal.any([this.#stop, timeout, this.#broken.signal]);
    try {
      void this.#writer.write('metadata', JSON.stringify({ run_id, attempt }));
      await this.#drive(signal);
      signal.throwIfAborted();
      const state = await this.#readState();
      return await this.#settle(state.waiting ? 'interrupted' : 'success', state, null);
    } catch (error) {
      if (signal.aborted) await this.#untilLeft();
      if (this.#stop.aborted) return this.#leave(this.#stop.reason as StopCause);
      if (this.#broken.signal.aborted) return this.#fail(this.#broken.signal.reason);
      if (!timeout.aborted) return this.#fail(error);
      const failure = { error: 'TimeoutError', message: `The run exceeded its limit of ${timeoutMs} ms` };
      return this.#settle('error', await this.#readState().catch(() => undefined), failure);
    }
  }

  /** A node that looks at no signal is waited for: until it has left, the run is not stopped. */
  async #untilLeft(): Promise<void> {
    const left = await this.#nodes.idle(this.#deps.config.SLIPWAY_LEAVE_SECONDS * 1000);
    if (!left) this.#log.warn('a node went on after its run was stopped; nothing it writes takes effect');
  }

  async #drive(signal: AbortSignal): Promise<void> {
    const { project, store } = this.#deps;
    const { graph_id, run_id, assistant_id } = this.#claim;
    const source = project.require(graph_id);
    const checkpointer = createCheckpointer(source.langgraph, {
      db: this.#db,
      fence: this.#claim,
      run_id,
      metadata: { graph_id, assistant_id, run_id },
      onFailure: (error) => this.#broken.abort(error),
    });
    const configured = engineConfig(this.#claim, signal);
    const [graph, { input, config }] = await Promise.all([
      source.instantiate({ config: configured, checkpointer, store: store.forGraph }),
      engineInput(this.#claim, source.langgraph, checkpointer, configured),
    ]);
    this.#graph = graph;
    trackNodes(graph);
    await this.#nodes.run(() => this.#publish(graph, input, config), signal);
    await this.#writer.close();
  }

  async #publish(graph: GraphInstance, input: unknown, config: EngineConfig): Promise<void> {
    const { kwargs } = this.#claim;
    for await (const { event, data } of streamGraph({ graph, kwargs, config, input })) {
      if (data.length > this.#deps.config.SLIPWAY_EVENT_LIMIT_BYTES) {
        this.#log.warn({ event, chars: data.length }, 'event dropped: larger than SLIPWAY_EVENT_LIMIT_BYTES');
        continue;
      }
      if (data.startsWith('{"__interrupt__":')) {
        this.#interrupts.push({ event, data });
        continue;
      }
      for (const held of this.#interrupts.splice(0)) void this.#writer.write(held.event, held.data);
      const pressed = this.#writer.write(event, data);
      if (pressed) await pressed;
    }
  }

  /** Runs alongside the graph; a run does not fail when feedback cannot be collected. */
  #openFeedback(): void {
    const { run_id, kwargs } = this.#claim;
    if (!kwargs.feedback_keys) return;
    this.#feedback = openFeedback(run_id, kwargs.feedback_keys).catch((error: unknown) => {
      this.#log.warn({ err: error }, 'could not create feedback addresses for the run');
      return false;
    });
  }

  async #readState(): Promise<StateSummary> {
    if (!this.#graph) throw new Error('The graph never started');
    return readState(this.#graph, { thread_id: this.#claim.thread_id, checkpoint_ns: '' });
  }

  async #settle(
    status: 'success' | 'error' | 'interrupted',
    state: StateSummary | undefined,
    error: PublicFailure | null,
  ): Promise<ExecuteRunResult> {
    const { run_id, thread_id, epoch, kwargs } = this.#claim;
    const feedback =
      kwargs.feedback_keys && (await this.#feedback) ? feedbackUrls(run_id, kwargs.feedback_keys) : undefined;
    await settleRun(this.#deps.db, {
      run_id,
      thread_id,
      epoch,
      status,
      state,
      error,
      events: [
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
    const ms = this.#claim.elapsed_ms + performance.now() - this.#claimedAt;
    this.#deps.metrics.settled(status, ms / 1000);
    this.#log.info({ status, ms: Math.round(ms) }, 'run settled');
    return 'settled';
  }

  #event(event: string, data: unknown) {
    return { id: this.#clock.next(), event, data: JSON.stringify(data) };
  }

  /** The graph has left before its end: the workflow decides what becomes of the run. */
  async #leave(cause: StopCause): Promise<ExecuteRunResult> {
    await this.#writer.close().catch(() => {});
    this.#log.info({ cause }, 'run stopped');
    if (cause !== 'shutdown') return 'stopped';
    await releaseRun(this.#deps.db, this.#claim);
    throw new Error('The worker is stopping; the run goes on elsewhere');
  }

  /** A graph's own failure is the run's outcome; a failure of what carries it is worth another attempt. */
  async #fail(error: unknown): Promise<ExecuteRunResult> {
    if (error instanceof RunFenced) return 'stopped';
    if (this.#lost) {
      this.#log.warn({ err: this.#lost }, 'run attempt lost its database');
      throw this.#lost as Error;
    }
    this.#log.warn({ err: error }, 'run failed');
    await this.#writer.close();
    return this.#settle('error', await this.#readState().catch(() => undefined), publicFailure(error));
  }

  #noteLoss(error: unknown): never {
    if (isTransient(error)) this.#lost = error;
    throw error;
  }
}
