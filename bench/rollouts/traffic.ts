import { randomUUID } from 'node:crypto';
import { readEvents } from '../event-stream.ts';
import { pause } from '../pacing.ts';

/** A step, as recorded by the graph. */
export interface StepDone {
  run: string;
  step: number;
  revision: string;
}

/** A requested run and its result. */
interface AskedRun {
  name: string;
  kind: Kind;
  steps: number;
  threadId: string | undefined;
  runId: string | undefined;
  /** The revision that accepted it. */
  revision: string;
  done: StepDone[] | undefined;
  tookMs: number;
}

type Kind = 'wait' | 'stream' | 'background';

export interface TrafficOptions {
  /** URL of the deployment at the gateway. */
  url: string;
  apiKey: string;
  /** Runs per second. */
  rate: number;
  /** Duration of a long run, in ms; one is in progress at any time. */
  longMs: number;
  /** Time limit for the last run, in ms; a machine too small for the rate falls far behind. */
  behindMs: number;
  say(line: string): void;
}

/** Results of the traffic. */
export interface TrafficReport {
  requests: number;
  runs: number;
  /** Failed requests, lost runs, and runs that repeated a step. */
  failures: string[];
  /** Number of runs that more than one revision executed. */
  resumed: number;
  /** Number of steps by revision. */
  steps: Map<string, number>;
  /** Time beyond the steps of each run that was waited for, in ms. */
  overheadMs: number[];
}

const KINDS: Kind[] = ['wait', 'stream', 'background'];
const THREADS = 24;
const SHORT = { steps: 2, ms: 40 };
const LONG_STEP_MS = 250;

/** Sends runs of every kind, with and without threads, at a constant rate during rollouts. */
export class Traffic {
  readonly #options: TrafficOptions;
  readonly #runs: AskedRun[] = [];
  readonly #failures: string[] = [];
  readonly #underWay = new Set<Promise<void>>();
  readonly #threads = Array.from({ length: THREADS }, () => randomUUID() as string);
  #requests = 0;
  #stopped = false;
  #ended: Promise<unknown> | undefined;

  constructor(options: TrafficOptions) {
    this.#options = options;
  }

  /** Failures so far. */
  get failures(): readonly string[] {
    return this.#failures;
  }

  start(): void {
    this.#ended = Promise.all([this.#short(), this.#long()]);
  }

  /** Stops requests and waits for all outcomes. `order` lists the revisions in the order they took over. */
  async stop(order: string[]): Promise<TrafficReport> {
    this.#stopped = true;
    await this.#ended;
    await Promise.all(this.#underWay);
    await this.#settleBackground();
    for (const run of this.#runs) this.#judge(run, order);
    const steps = new Map<string, number>();
    for (const { done = [] } of this.#runs)
      for (const { revision } of done) steps.set(revision, (steps.get(revision) ?? 0) + 1);
    return {
      requests: this.#requests,
      runs: this.#runs.length,
      failures: this.#failures,
      resumed: this.#runs.filter(({ done = [] }) => new Set(done.map(({ revision }) => revision)).size > 1)
        .length,
      steps,
      overheadMs: this.#runs.filter(({ tookMs }) => tookMs > 0).map(({ tookMs }) => tookMs),
    };
  }

  async #short(): Promise<void> {
    const began = performance.now();
    for (let count = 0; !this.#stopped; count++) {
      const kind = KINDS[count % KINDS.length]!;
      // Every other run of each kind uses a thread, which may still have an earlier run.
      const threadId = count % 2 === 0 ? this.#threads[(count / 2) % THREADS] : undefined;
      this.#send(kind, threadId, SHORT);
      await pause(Math.max(0, began + ((count + 1) * 1000) / this.#options.rate - performance.now()));
    }
  }

  /** Runs that take longer than a start, so that each cut-over meets some. */
  async #long(): Promise<void> {
    const steps = Math.ceil(this.#options.longMs / LONG_STEP_MS);
    while (!this.#stopped) {
      for (const kind of KINDS) this.#send(kind, randomUUID(), { steps, ms: LONG_STEP_MS });
      const again = performance.now() + this.#options.longMs / 2;
      while (!this.#stopped && performance.now() < again) await pause(100);
    }
  }

  #send(kind: Kind, threadId: string | undefined, work: { steps: number; ms: number }): void {
    const run = { name: randomUUID(), kind, steps: work.steps, threadId };
    const asked = { ...run, runId: undefined, revision: '', done: undefined, tookMs: 0 };
    this.#runs.push(asked);
    const sending = this.#ask(asked, work.ms)
      .catch((error: Error) =>
        this.#fail(asked, (error.cause as Error | undefined)?.message ?? error.message),
      )
      .finally(() => this.#underWay.delete(sending));
    this.#underWay.add(sending);
  }

  async #ask(run: AskedRun, ms: number): Promise<void> {
    const { kind, threadId, steps, name } = run;
    const path = `${threadId ? `/threads/${threadId}` : ''}/runs${kind === 'background' ? '' : `/${kind}`}`;
    const began = performance.now();
    const answer = await this.#fetch(path, {
      assistant_id: 'steps',
      input: { run: name, steps, ms },
      config: { recursion_limit: steps + 1 },
      ...(threadId && { if_not_exists: 'create', multitask_strategy: 'enqueue' }),
      ...(kind === 'stream' && { stream_mode: ['values'] }),
      // Otherwise nothing would be left to check.
      ...(kind === 'background' && !threadId && { on_completion: 'keep' }),
    });
    run.revision = answer.headers.get('x-slipway-revision') ?? '';
    const text = await answer.text();
    if (answer.status !== 200) return this.#fail(run, `answered ${answer.status}: ${text.slice(0, 200)}`);
    if (kind === 'background') {
      const { run_id, thread_id } = JSON.parse(text) as { run_id: string; thread_id: string };
      Object.assign(run, { runId: run_id, threadId: thread_id });
      return;
    }
    run.done = kind === 'wait' ? doneIn(JSON.parse(text), name) : doneIn(lastValues(text), name);
    run.tookMs = performance.now() - began - steps * ms;
    if (!run.done) this.#fail(run, `answered ${text.slice(-300)}`);
  }

  /** Checks the background runs: each must have an outcome, and its thread the steps. */
  async #settleBackground(): Promise<void> {
    const deadline = performance.now() + this.#options.behindMs;
    const waiting = this.#runs.filter(({ kind, runId }) => kind === 'background' && runId);
    for (const run of waiting) {
      const path = `/threads/${run.threadId}/runs/${run.runId}`;
      let status: string;
      for (;;) {
        ({ status } = (await (await this.#fetch(path)).json()) as { status: string });
        if (!['pending', 'running'].includes(status) || performance.now() > deadline) break;
        await pause(100);
      }
      if (status !== 'success') this.#fail(run, `ended as ${status}`);
      const state = (await (await this.#fetch(`/threads/${run.threadId}/state`)).json()) as {
        values: object;
      };
      run.done = doneIn(state.values, run.name);
    }
  }

  /** Checks that each step ran once, in order, in the revision that accepted the run or in later ones. */
  #judge(run: AskedRun, order: string[]): void {
    const { done } = run;
    if (!done) return;
    const steps = done.map(({ step }) => step);
    if (steps.length !== run.steps || steps.some((step, index) => step !== index + 1))
      this.#fail(run, `did the steps ${steps.join(', ')} of ${run.steps}`);
    const places = [run.revision, ...done.map(({ revision }) => revision)].map((id) => order.indexOf(id));
    if (places.includes(-1) || places.some((place, index) => place < (places[index - 1] ?? 0)))
      this.#fail(run, `was done by the revisions ${places.join(', ')}`);
  }

  #fetch(path: string, body?: object): Promise<Response> {
    this.#requests++;
    return fetch(this.#options.url + path, {
      method: body ? 'POST' : 'GET',
      headers: { 'x-api-key': this.#options.apiKey, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  }

  #fail({ kind, threadId, name }: AskedRun, what: string): void {
    const at = new Date().toISOString();
    const failure = `${at} ${kind}${threadId ? ' on a thread' : ''} ${name}: ${what}`;
    this.#failures.push(failure);
    this.#options.say(failure);
  }
}

function doneIn(values: unknown, run: string): StepDone[] | undefined {
  const { done } = (values ?? {}) as { done?: StepDone[] };
  return done?.filter((entry) => entry.run === run);
}

function lastValues(text: string): unknown {
  const last = readEvents(text).findLast(({ event }) => event === 'values');
  return last && JSON.parse(last.data);
}
