import { Counter, Histogram, Registry } from 'prom-client';

/** Bounds of the latency histogram, in milliseconds; slower responses have their own bucket. */
export const LATENCY_MS = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000];

export interface RevisionCounts {
  requests: number;
  failed: number;
  latency: number[];
}

/** Outcome of a request: status, and time until the response head. */
export interface Answered {
  failed: boolean;
  /** Milliseconds until the response head. */
  ms?: number | undefined;
}

const none = (): RevisionCounts => ({
  requests: 0,
  failed: 0,
  latency: Array.from({ length: LATENCY_MS.length + 1 }, () => 0),
});

/** Counts requests per answering revision, in memory until written. */
export class TrafficCounts {
  readonly registry = new Registry();
  #counts = new Map<string, RevisionCounts>();
  readonly #requests = new Counter({
    name: 'slipway_gateway_requests_total',
    help: 'Requests to deployments by the revision that answered; failed: answered 5xx, cut off, or not at all',
    labelNames: ['revision_id', 'result'],
    registers: [this.registry],
  });
  readonly #seconds = new Histogram({
    name: 'slipway_gateway_answer_seconds',
    help: 'Time from a request to a deployment to the head of its answer, by the revision that answered',
    labelNames: ['revision_id'],
    buckets: LATENCY_MS.map((ms) => ms / 1000),
    registers: [this.registry],
  });

  count(revisionId: string, { failed, ms }: Answered): void {
    const counts = this.#of(revisionId);
    counts.requests++;
    if (failed) counts.failed++;
    if (ms !== undefined) {
      const place = LATENCY_MS.findIndex((bound) => ms <= bound);
      counts.latency[place < 0 ? LATENCY_MS.length : place]!++;
      this.#seconds.observe({ revision_id: revisionId }, ms / 1000);
    }
    this.#requests.inc({ revision_id: revisionId, result: failed ? 'failed' : 'answered' });
  }

  /** Returns and resets the counts. */
  take(): Map<string, RevisionCounts> {
    const taken = this.#counts;
    this.#counts = new Map();
    return taken;
  }

  /** Adds back counts that could not be written. */
  putBack(taken: Map<string, RevisionCounts>): void {
    for (const [revisionId, { requests, failed, latency }] of taken) {
      const counts = this.#of(revisionId);
      counts.requests += requests;
      counts.failed += failed;
      latency.forEach((number, place) => (counts.latency[place]! += number));
    }
  }

  #of(revisionId: string): RevisionCounts {
    const known = this.#counts.get(revisionId);
    if (known) return known;
    const made = none();
    this.#counts.set(revisionId, made);
    return made;
  }
}
