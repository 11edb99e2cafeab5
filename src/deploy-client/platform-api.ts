import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';

/** A request that the platform refused, with its message. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The platform could not be reached, or its response is not from a platform. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

export interface Access {
  url: string;
  key: string;
  /** For keys that are valid for several workspaces. */
  tenant?: string | undefined;
}

export interface Answer<Body> {
  body: Body;
  /** Whether this is the response to an earlier request with the same Idempotency-Key. */
  replayed: boolean;
}

const REQUEST_MS = 30_000;
const UPLOAD_MS = 300_000;
// A restarting platform is back within this time.
const PATIENCE_MS = 60_000;
const PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;
const AGAIN = new Set([429, 502, 503, 504]);

/**
 * The platform's public API. Retries requests that may be repeated: changes carry an Idempotency-Key. Throws Refused and
 * Unreachable.
 */
export class PlatformApi {
  readonly url: string;
  readonly #headers: Record<string, string>;

  constructor({ url, key, tenant }: Access) {
    this.url = url.replace(/\/+$/, '');
    this.#headers = {
      'x-api-key': key,
      accept: 'application/json',
      ...(tenant && { 'x-tenant-id': tenant }),
    };
  }

  async get<Body>(path: string): Promise<Body> {
    return (await this.#send<Body>('GET', path)).body;
  }

  async post<Body>(path: string, body: object = {}): Promise<Body> {
    return (await this.once<Body>('POST', path, body, randomUUID())).body;
  }

  async put<Body>(path: string, body: object): Promise<Body> {
    return (await this.#send<Body>('PUT', path, body)).body;
  }

  async delete(path: string): Promise<void> {
    await this.#send('DELETE', path);
  }

  /** Requests with the same key take effect once within a day. */
  once<Body>(method: 'POST' | 'PATCH', path: string, body: object, key: string): Promise<Answer<Body>> {
    return this.#send<Body>(method, path, body, { 'idempotency-key': key });
  }

  /** Uploads an archive to the URL from the platform, which itself authorizes the upload. */
  async upload(address: string, archive: Buffer, headers: Record<string, string>): Promise<void> {
    await this.#attempt('upload', () =>
      fetch(address, {
        method: 'PUT',
        body: new Uint8Array(archive),
        headers,
        signal: AbortSignal.timeout(UPLOAD_MS),
      }),
    );
  }

  async #send<Body>(
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Answer<Body>> {
    const response = await this.#attempt(`${method} ${path}`, () =>
      fetch(this.url + path, {
        method,
        headers: { ...this.#headers, ...headers, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(REQUEST_MS),
      }),
    );
    const text = await response.text();
    return {
      body: (text ? read(text) : undefined) as Body,
      replayed: response.headers.get('idempotent-replayed') === 'true',
    };
  }

  async #attempt(what: string, request: () => Promise<Response>): Promise<Response> {
    const until = Date.now() + PATIENCE_MS;
    for (let pause = PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      const outcome = await request().catch((error: unknown) => error as Error);
      if (outcome instanceof Response && outcome.ok) return outcome;
      const refusal = outcome instanceof Response ? await refused(outcome) : undefined;
      const passes = !refusal || AGAIN.has(refusal.status) || /is under way/.test(refusal.message);
      if (refusal && (!passes || Date.now() > until)) throw refusal;
      if (Date.now() > until)
        throw new Unreachable(`${this.url} cannot be reached (${what}): ${reason(outcome as Error)}`);
      await setTimeout(pause);
    }
  }
}

async function refused(response: Response): Promise<Refused> {
  const text = await response.text().catch(() => '');
  return new Refused(response.status, `${detailOf(text) || response.statusText} (${response.status})`);
}

/** The platform's `detail`: a text, or a list of errors with their locations. */
function detailOf(text: string): string {
  try {
    const { detail } = JSON.parse(text) as { detail?: string | { loc: string[]; msg: string }[] };
    if (Array.isArray(detail)) return detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');
    return detail ?? '';
  } catch {
    return text.slice(0, 500);
  }
}

function read(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Unreachable('This is not a Slipway platform: the response is not JSON');
  }
}

const reason = (error: Error): string =>
  error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
