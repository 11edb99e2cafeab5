import type { LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { Agent, request } from 'undici';
import type { Resolve } from './webhook-addresses.ts';
import { refuseAddresses, type WebhookUrlRules } from './webhook-url.ts';

const CONNECT_MS = 5_000;
/** How much of a response to read so that its connection can be reused. */
const MOST_BYTES_READ = 64 * 1024;

export interface WebhookAnswer {
  status: number;
  location?: string | undefined;
  retry_after?: string | undefined;
}

/** Contents of one POST of a webhook. */
export interface WebhookPost {
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
}

/**
 * Posts to other hosts, only at addresses that the rules allow: resolves each name once, and connects to the address
 * it checked.
 */
export class WebhookClient {
  readonly #agent: Agent;

  constructor(rules: WebhookUrlRules, resolve: Resolve) {
    this.#agent = new Agent({ connect: { timeout: CONNECT_MS, lookup: checkedLookup(rules, resolve) } });
  }

  /** Sends one request without following redirects. Throws WebhookRefused or a network error. */
  async post(url: URL, { headers, body, signal }: WebhookPost): Promise<WebhookAnswer> {
    const answer = await request(url.origin + url.pathname + url.search, {
      method: 'POST',
      dispatcher: this.#agent,
      headers: { ...headers, ...credentials(url) },
      body,
      signal,
      // The signal limits the total time.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    await answer.body.dump({ limit: MOST_BYTES_READ, signal }).catch(() => {});
    const { location, 'retry-after': retryAfter } = answer.headers;
    return {
      status: answer.statusCode,
      location: [location].flat()[0],
      retry_after: [retryAfter].flat()[0],
    };
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

const checkedLookup = (rules: WebhookUrlRules, resolve: Resolve): LookupFunction => {
  const addressesOf = callbackify(async (host: string) => {
    const addresses = await resolve(host);
    const found = addresses.map(({ address }) => address);
    refuseAddresses(host, found, rules);
    return addresses;
  });
  return (host, { all }, callback) =>
    addressesOf(host, (error, addresses) => {
      const first = addresses?.[0];
      if (error) callback(error, '');
      else if (all) callback(null, addresses);
      else if (first) callback(null, first.address, first.family);
      else callback(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), '');
    });
};

/** Credentials in `https://user:password@host`. */
function credentials({ username, password }: URL): Record<string, string> {
  if (!username && !password) return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}
