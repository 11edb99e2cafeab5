import fc from 'fast-check';
import { problemOf } from './answer-check.ts';
import { curlLine } from './curl-line.ts';
import type { Guard, Records } from './database-guard.ts';
import { type OpenApiDocument, type Operation, readOperations } from './openapi-operations.ts';
import { type FuzzRequest, requestsFor } from './request-arbitrary.ts';
import { send } from './send-request.ts';

/** Existing objects in the server under test, which requests can name. */
export interface World {
  /** Replaces objects that requests deleted. */
  refill(): Promise<void>;
  /** Replaces placeholders with ids. */
  resolve(request: FuzzRequest): FuzzRequest;
  /** Records objects that a response shows as created or deleted. */
  learn(text: string): void;
}

export interface FuzzOptions {
  url: string;
  /** URL of its OpenAPI document. */
  document?: string;
  world: World;
  guard: Guard;
  /** For operations that do not declare their bodies. */
  rawBodies?: fc.Arbitrary<string | undefined>;
  seed: number;
  seconds: number;
  /** It continues until it has sent more requests than this. */
  least?: number;
}

export interface FuzzReport {
  requests: number;
  /** Answers by operation and status. */
  statuses: Record<string, Record<number, number>>;
  /** One per operation and kind of problem, with the smallest request that shows it. */
  problems: string[];
}

const REQUESTS_A_TURN = 6;
const SHRINK_MS = 3_000;
// Covering every operation matters more than many requests to one, so broken ones are skipped after a while.
const MOST_PROBLEMS = 3;

/** Sends requests to each operation of the document in turn, until time is up. A seed repeats the same requests. */
export async function fuzz({
  url,
  document = '/openapi.json',
  world,
  guard,
  rawBodies,
  seed,
  seconds,
  least = 0,
}: FuzzOptions): Promise<FuzzReport> {
  const answer = await fetch(`${url}${document}`);
  const operations = readOperations((await answer.json()) as OpenApiDocument);
  const attempt = new Attempt(url, world, guard);
  const problems = new Map<string, string>();
  const end = Date.now() + seconds * 1000;
  const isOver = () => Date.now() >= end && attempt.requests > least;
  for (let turn = 0, sent = -1; !isOver() && attempt.requests > sent; turn++) {
    sent = attempt.requests;
    await attempt.prepare();
    for (const [index, operation] of operations.entries()) {
      const known = [...problems.keys()].filter((key) => key.startsWith(`${operation.id} `)).length;
      if (isOver() || known >= MOST_PROBLEMS) continue;
      const requests = requestsFor(operation, rawBodies);
      const problem = await turnOf(operation, requests, attempt, seed + turn * 1_000 + index);
      if (problem) problems.set(`${operation.id} ${kindOf(problem)}`, `${operation.id}: ${problem}`);
    }
  }
  return { requests: attempt.requests, statuses: attempt.statuses, problems: [...problems.values()] };
}

async function turnOf(
  operation: Operation,
  requests: fc.Arbitrary<FuzzRequest>,
  attempt: Attempt,
  seed: number,
): Promise<string | undefined> {
  const property = fc.asyncProperty(requests, async (request) => {
    const problem = await attempt.send(operation, request);
    if (problem) throw new Error(problem);
  });
  const { errorInstance } = await fc.check(property, {
    seed,
    numRuns: REQUESTS_A_TURN,
    // Also ends the search for a smaller request.
    skipAllAfterTimeLimit: SHRINK_MS + REQUESTS_A_TURN * 1_000,
  });
  // A check that timed out has failed without an error.
  return (errorInstance as Error | null)?.message;
}

const kindOf = (problem: string): string => problem.slice(0, 40).replaceAll(/[\d-]+/g, '');

class Attempt {
  requests = 0;
  readonly statuses: FuzzReport['statuses'] = {};
  readonly #url: string;
  readonly #world: World;
  readonly #guard: Guard;
  /** The state after the last request; unknown if that was accepted. */
  #records: Records | undefined;
  #previous: FuzzRequest | undefined;

  constructor(url: string, world: World, guard: Guard) {
    this.#url = url;
    this.#world = world;
    this.#guard = guard;
  }

  /** Ensures that enough objects exist. */
  async prepare(): Promise<void> {
    await this.#world.refill();
    this.#records = undefined;
  }

  /** Returns the problem, with the request as a curl command. */
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
    const changed = this.#guard.changes(before, this.#records);
    // Writes that continue after a refusal show up with the next request.
    const suspect = this.#previous;
    this.#previous = request;
    if (changed.length === 0) return undefined;
    const also = suspect ? ` (or the request before it did: ${curlLine(this.#url, suspect)})` : '';
    return `answered ${status}, and yet changed: ${changed.join(', ')}${also}`;
  }
}
