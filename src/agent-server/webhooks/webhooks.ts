import { Webhook } from 'standardwebhooks';
import type { PrivateAddresses } from '../../platform/private-addresses.ts';
import { InvalidSetting } from '../../platform/settings.ts';
import type { ProjectConfig } from '../../graph-protocol/project-schema.ts';
import { resolveWithSystem, type Resolve, WebhookRefused } from './webhook-addresses.ts';
import { WebhookClient } from './webhook-client.ts';
import type { EndedRun } from '../records/webhook-delivery-repository.ts';
import { readWebhookHeaders } from './webhook-headers.ts';
import { webhookBody } from './webhook-payload.ts';
import type { WebhookAnswer } from './webhook-client.ts';
import { type InternalApp, WebhookSender } from './webhook-sender.ts';
import { refusePrivateName, webhookTarget, type WebhookUrlRules } from './webhook-url.ts';

// For projects that have address rules but no port rules.
const DEFAULT_PORTS = [443, 80];

export interface WebhooksOptions {
  config: ProjectConfig;
  /** Environment for the variables in header templates. */
  env: NodeJS.ProcessEnv;
  /** Signs every webhook by the Standard Webhooks scheme; `whsec_` and base64. */
  secret?: string | undefined;
  timeoutMs: number;
  app?: InternalApp | undefined;
  /** Private addresses to allow; by default, all that the project doesn't refuse. */
  privateAddresses?: PrivateAddresses | undefined;
  resolve?: Resolve;
}

/** The project's webhook settings (contract §12): which targets are allowed, and how webhooks are sent. */
export class Webhooks {
  readonly disabled: boolean;
  readonly #rules: WebhookUrlRules;
  readonly #headers: Record<string, string>;
  readonly #allowedFields: string[] | undefined;
  readonly #signer: Webhook | undefined;
  readonly #resolve: Resolve;
  readonly #app: InternalApp | undefined;
  readonly #client: WebhookClient;
  readonly #sender: WebhookSender;

  /** Throws InvalidProject and InvalidSetting. */
  constructor({
    config,
    env,
    secret,
    timeoutMs,
    app,
    privateAddresses,
    resolve = resolveWithSystem,
  }: WebhooksOptions) {
    const { headers, env_prefix, url, allowed_fields } = config.webhooks ?? {};
    const rules: WebhookUrlRules = {
      ...(url && { allowed_ports: DEFAULT_PORTS, ...url }),
      ...(privateAddresses && { private_addresses: privateAddresses }),
    };
    this.disabled = config.http?.disable_webhooks ?? false;
    this.#rules = rules;
    this.#headers = readWebhookHeaders(headers, env, env_prefix);
    this.#allowedFields = allowed_fields;
    this.#signer = secret === undefined ? undefined : signer(secret);
    this.#resolve = resolve;
    this.#app = app;
    this.#client = new WebhookClient(rules, resolve);
    this.#sender = new WebhookSender({ rules, client: this.#client, app, timeoutMs });
  }

  /**
   * Validates the webhook of a new run; undefined if the project has disabled webhooks. Throws WebhookRefused (422)
   * with the rule it breaks.
   */
  async accept(url: string | undefined): Promise<string | undefined> {
    if (url === undefined || this.disabled) return undefined;
    const target = webhookTarget(url, this.#rules);
    if (target.kind === 'external') await refusePrivateName(target.url, this.#rules, this.#resolve);
    else if (!this.#app) throw new WebhookRefused('is a relative URL, which needs an http.app');
    return url;
  }

  /** Sends a run's webhook once. Throws WebhookRefused, a TimeoutError, or a network error. */
  async send(run: EndedRun): Promise<WebhookAnswer> {
    const at = new Date();
    const body = webhookBody(run, at, this.#allowedFields);
    // Constant across attempts, so that receivers can detect duplicates.
    const id = run.run_id;
    return this.#sender.send({
      url: run.kwargs.webhook!,
      body,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'slipway-webhook',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        ...(this.#signer && { 'webhook-signature': this.#signer.sign(id, at, body) }),
      },
      ownHeaders: this.#headers,
    });
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}

function signer(secret: string): Webhook {
  try {
    return new Webhook(secret);
  } catch {
    throw new InvalidSetting('SLIPWAY_WEBHOOK_SECRET is not usable: it must be whsec_ followed by base64');
  }
}
