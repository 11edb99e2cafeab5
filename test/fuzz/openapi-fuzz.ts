import fc from 'fast-check';
import { problemOf } from './answer-check.ts';
import { curlLine } from './curl-line.ts';
import { changesBetween, type DatabaseGuard, type Records } from './database-guard.ts';
import { FuzzWorld } from './fuzz-world.ts';
import { type OpenApiDocument, type Operation, readOperations } from './openapi-operations.ts';
import { type FuzzRequest, requestsFor } from './request-arbitrary.ts';
import { send } from './send-request.ts';

export interface FuzzOptions {
  url: string;
  guard: DatabaseGuard;
  seed: number;
  seconds: number;
}

export interface FuzzReport {
  requests: number;
  /** Answers by operation and status. */
  statuses: Record<string, Record<number, number>>;
  /** One for each operation and kind of problem: what is wrong, and the smallest request found that shows it. */
  problems: string[];
}

const REQUESTS_A_TURN = 6;
const SHRINK_MS = 3_000;
// A turn of every operation is worth more than many requests of one, so what is broken is left alone after a while.
const MOST_PROBLEMS = 3;

/** Sends requests to every operation of the document in turn, until the time is over. The same seed sends the same. */
export async function fuzz({ url, guard, seed, seconds }: FuzzOptions): Promise<FuzzReport> {
  const answer = await fetch(`${url}/openapi.json`);
  const operations = readOperations((await answer.json()) as OpenApiDocument);
  const world = new FuzzWorld(url);
  const attempt = new Attempt(url, world, guard);
  const problems = new Map<string, string>();
  const end = Date.now() + seconds * 1000;
  for (let turn = 0; Date.now() < end; turn++) {
    await attempt.prepare();
    for (const [index, operation] of operations.entries()) {
      const known = [...problems.keys()].filter((key) => key.startsWith(`${operation.id} `)).length;
      if (Date.now() >= end || known >= MOST_PROBLEMS) continue;
      const problem = await turnOf(operation, attempt, seed + turn * 1_000 + index);
      if (problem) problems.set(`${operation.id} ${kindOf(problem)}`, `${operation.id}: ${problem}`);
    }
  }
  return { requests: attempt.requests, statuses: attempt.statuses, problems: [...problems.values()] };
}

async function turnOf(operation: Operation, attempt: Attempt, seed: number): Promise<string | undefined> {
  const property = fc.asyncProperty(requestsFor(operation), async (request) => {
    const problem = await attempt.send(operation, request);
    if (problem) throw new Error(problem);
  });
  const { failed, errorInstance } = await fc.check(property, {
    seed,
    numRuns: REQUESTS_A_TURN,
    // Ends the search for a smaller request, too.
    skipAllAfterTimeLimit: SHRINK_MS + REQUESTS_A_TURN * 1_000,
  });
  return failed ? (errorInstance as Error).message : undefined;
}

const kindOf = (problem: string): string => problem.slice(0, 40).replaceAll(/[\d-]+/g, '');

class Attempt {
  requests = 0;
  readonly statuses: FuzzReport['statuses'] = {};
  readonly #url: string;
  readonly #world: FuzzWorld;
  readonly #guard: DatabaseGuard;
  /** As they were after the last request; unknown when that was accepted. */
  #records: Records | undefined;
  #previous: FuzzRequest | undefined;

  constructor(url: string, world: FuzzWorld, guard: DatabaseGuard) {
    this.#url = url;
    this.#world = world;
    this.#guard = guard;
  }

  /** Sees to it that there is enough to speak of. */
  async prepare(): Promise<void> {
    await this.#world.refill();
    this.#records = undefined;
  }

  /** Returns what is wrong, with the request as a curl line. */
  async send(operation: Operation, symbolic: FuzzRequest): Promise<string | undefined> {
    const request = this.#world.resolve(symbolic);
    const problem = await this.#problem(operation, request);
    return problem && `${problem}\n  ${curlLine(this.#url, request)}`;
  }

  async #problem(operation: Operation, request: FuzzRequest): Promise<string | undefined> {
    this.requests++;
    const before = this.#records ?? (await this.#guard.records());
    this.#records = undefined;
    const answer = await send(this.#url, request).catch((error: Error) => error.message);
    if (typeof answer === 'string') return `no answer: ${answer}`;
    const { status, text } = answer;
    const counts = (this.statuses[operation.id] ??= {});
    counts[status] = (counts[status] ?? 0) + 1;
    const wrong = problemOf(operation, request, answer);
    if (wrong) return wrong;
    this.#world.learn(text);
    if (status < 400 && request.method !== 'GET' && request.method !== 'HEAD') return undefined;
    this.#records = await this.#guard.records();
    const changed = changesBetween(before, this.#records);
    // What goes on being written after its refusal shows with the next request.
    const suspect = this.#previous;
    this.#previous = request;
    if (changed.length === 0) return undefined;
    const also = suspect ? ` (or the request before it did: ${curlLine(this.#url, suspect)})` : '';
    return `answered ${status}, and yet changed: ${changed.join(', ')}${also}`;
  }
}
