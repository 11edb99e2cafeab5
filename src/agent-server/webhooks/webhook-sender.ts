import { WebhookRefused } from './webhook-addresses.ts';
import type { WebhookAnswer, WebhookClient, WebhookPost } from './webhook-client.ts';
import { webhookTarget, type WebhookTarget, type WebhookUrlRules } from './webhook-url.ts';

const MOST_REDIRECTS = 5;
// Placeholder for the project's own app; never connected to.
const INTERNAL = 'http://localhost';

/** The project's own HTTP app (`http.app`), as webhooks use it. */
export interface InternalApp {
  fetch(request: Request): Response | Promise<Response>;
}

export interface WebhookSenderOptions {
  rules: WebhookUrlRules;
  client: WebhookClient;
  /** Undefined if the project has none. */
  app: InternalApp | undefined;
  /** Time limit for all requests of a delivery together, in ms. */
  timeoutMs: number;
}

export interface OutgoingWebhook {
  url: string;
  body: string;
  /** Sent to every hop. */
  headers: Record<string, string>;
  /** Sent only to the configured receiver, never to a redirect target. */
  ownHeaders: Record<string, string>;
}

/** Posts webhooks and follows redirects, checking each hop like the first. */
export class WebhookSender {
  readonly #options: WebhookSenderOptions;

  constructor(options: WebhookSenderOptions) {
    this.#options = options;
  }

  /** Returns the last response. Throws WebhookRefused if a rule is broken, a TimeoutError, or a network error. */
  async send({ url, body, headers, ownHeaders }: OutgoingWebhook): Promise<WebhookAnswer> {
    const { rules, timeoutMs } = this.#options;
    const signal = AbortSignal.timeout(timeoutMs);
    const first = webhookTarget(url, rules);
    let target = first;
    for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
      const own = sameReceiver(addressOf(first), addressOf(target));
      const post = { headers: { ...headers, ...(own && ownHeaders) }, body, signal };
      const answer = await this.#post(target, post);
      if (!answer.location || !isRedirect(answer.status)) return answer;
      target = this.#follow(target, answer.location);
    }
    throw new WebhookRefused(`redirects more than ${MOST_REDIRECTS} times`);
  }

  async #post(target: WebhookTarget, post: WebhookPost): Promise<WebhookAnswer> {
    const { client, app } = this.#options;
    if (target.kind === 'external') return client.post(target.url, post);
    if (!app) throw new WebhookRefused('is a relative URL, which needs an http.app');
    return callApp(app, target.path, post);
  }

  #follow(from: WebhookTarget, location: string): WebhookTarget {
    const base = addressOf(from);
    if (!URL.canParse(location, base.href)) throw new WebhookRefused('redirects to an invalid URL');
    const { origin, pathname, search, href } = new URL(location, base);
    const internal = from.kind === 'internal' && origin === INTERNAL;
    return webhookTarget(internal ? pathname + search : href, this.#options.rules);
  }
}

const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status);

const addressOf = (target: WebhookTarget): URL =>
  target.kind === 'internal' ? new URL(INTERNAL + target.path) : target.url;

/** Configured headers may be secrets: send them only to the intended receiver, or its https version. */
const sameReceiver = (meant: URL, actual: URL): boolean =>
  meant.origin === actual.origin ||
  (meant.hostname === actual.hostname && meant.protocol === 'http:' && actual.protocol === 'https:');

async function callApp(
  app: InternalApp,
  path: string,
  { headers, body, signal }: WebhookPost,
): Promise<WebhookAnswer> {
  const request = new Request(INTERNAL + path, { method: 'POST', headers, body, signal });
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  const response = await Promise.race([app.fetch(request), late]);
  await response.body?.cancel();
  return {
    status: response.status,
    location: response.headers.get('location') ?? undefined,
    retry_after: response.headers.get('retry-after') ?? undefined,
  };
}
