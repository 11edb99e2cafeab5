import type { Middleware } from 'koa';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { AgentDeps } from '../agent-deps.ts';
import { type QueueCounts, queueCounts } from '../records/in-flight-repository.ts';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800];

/** All metrics of this process for `/metrics`; the queue metrics cover the whole deployment. */
export class Metrics {
  readonly registry = new Registry();
  readonly #http: Histogram<'method' | 'route' | 'status'>;
  readonly #waits: Histogram;
  readonly #durations: Histogram<'status'>;
  readonly #runs: Counter<'status'>;
  readonly #webhooks: Counter<'result'>;
  readonly #workers: Gauge<'state'>;
  readonly #queue: Gauge<'state'>;
  readonly #readers: Gauge;
  readonly #channels: Gauge;
  /** Queue and worker metrics, under the names that common dashboards and autoscalers expect. */
  readonly #known: Record<'pending' | 'running' | 'wait' | keyof QueueReport['workers'], Gauge>;
  readonly #slots: number;
  #watchesProcess = false;

  /** `slots`: runs this process can execute at once; 0 if it isn't a worker. */
  constructor(slots: number) {
    this.#slots = slots;
    const registers = [this.registry];
    const histogram = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
      new Histogram({ name, help, labelNames, buckets: SECONDS, registers });
    this.#http = histogram('slipway_http_request_seconds', 'Time to the end of a request', [
      'method',
      'route',
      'status',
    ]);
    this.#waits = histogram('slipway_run_wait_seconds', 'Time from when a run was due to its start', []);
    this.#durations = histogram('slipway_run_seconds', 'Time from the start of a run to its outcome', [
      'status',
    ]);
    this.#runs = new Counter({
      name: 'slipway_runs_total',
      help: 'Runs settled',
      labelNames: ['status'],
      registers,
    });
    this.#webhooks = new Counter({
      name: 'slipway_webhook_attempts_total',
      help: 'Attempts at webhooks',
      labelNames: ['result'],
      registers,
    });
    this.#workers = new Gauge({
      name: 'slipway_worker_slots',
      help: 'Runs this process can execute, executes, and could still take',
      labelNames: ['state'],
      registers,
    });
    this.#queue = new Gauge({
      name: 'slipway_runs',
      help: 'Runs of the deployment that wait or execute',
      labelNames: ['state'],
      registers,
    });
    const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
    this.#readers = gauge(
      'slipway_event_readers',
      'Streams and waiting requests this process follows events for',
    );
    this.#channels = gauge('slipway_listened_channels', 'Notification channels this process listens on');
    this.#known = {
      pending: gauge('lg_api_num_pending_runs', 'Runs of the deployment that wait'),
      running: gauge('lg_api_num_running_runs', 'Runs of the deployment that execute'),
      wait: gauge('lg_api_pending_runs_wait_time_max', 'Seconds the oldest run that could start has waited'),
      max: gauge('lg_api_workers_max', 'Runs this process can execute'),
      active: gauge('lg_api_workers_active', 'Runs this process executes'),
      available: gauge('lg_api_workers_available', 'Runs this process could still take'),
    };
  }

  request(method: string, route: string, status: number, seconds: number): void {
    this.#http.observe({ method, route, status: String(status) }, seconds);
  }

  started(waitSeconds: number): void {
    this.#waits.observe(Math.max(0, waitSeconds));
  }

  settled(status: string, seconds: number): void {
    this.#runs.inc({ status });
    this.#durations.observe({ status }, Math.max(0, seconds));
  }

  webhookSent(result: string): void {
    this.#webhooks.inc({ result });
  }

  /** Omits the queue metrics if the database is unreachable: that's when the process metrics matter. */
  async report({ db, running, notifications, log }: AgentDeps): Promise<QueueReport> {
    this.#watchProcess();
    const queue = await queueCounts(db).catch((error: unknown) => {
      log.warn({ err: error }, 'could not count the queue');
      return null;
    });
    const max = this.#slots;
    const workers = { max, active: running.size, available: max - running.size };
    for (const [state, value] of Object.entries(workers)) {
      this.#workers.set({ state }, value);
      this.#known[state as keyof typeof workers].set(value);
    }
    this.#readers.set(
      // Subtract the process's own listener.
      notifications.listeners - 1,
    );
    this.#channels.set(notifications.channels);
    this.#queue.set({ state: 'pending' }, queue?.n_pending ?? NaN);
    this.#queue.set({ state: 'running' }, queue?.n_running ?? NaN);
    this.#known.pending.set(queue?.n_pending ?? NaN);
    this.#known.running.set(queue?.n_running ?? NaN);
    this.#known.wait.set(queue ? (queue.pending_runs_wait_time_max_secs ?? 0) : NaN);
    return { workers, queue };
  }

  /** Collects memory, CPU time and event loop lag, starting with the first request. */
  #watchProcess(): void {
    if (this.#watchesProcess) return;
    this.#watchesProcess = true;
    collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: 50 });
  }
}

export interface QueueReport {
  workers: { max: number; active: number; available: number };
  queue: QueueCounts | null;
}

export function measureHttp({ metrics }: AgentDeps): Middleware {
  return async (ctx, next) => {
    const start = performance.now();
    ctx.res.once('close', () => {
      const route = (ctx as unknown as { _matchedRoute?: string })._matchedRoute ?? 'unmatched';
      metrics.request(ctx.method, route, ctx.res.statusCode, (performance.now() - start) / 1000);
    });
    await next();
  };
}
