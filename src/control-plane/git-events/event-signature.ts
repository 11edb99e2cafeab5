import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { PublicError } from '../../platform/errors.ts';
import type { IntegrationKind } from '../integrations/integration.ts';

/** An unsigned or wrongly signed event; doesn't reveal which integrations exist. */
export class UnsignedEvent extends PublicError {
  override readonly name = 'UnsignedEvent';
  readonly status = 401;
  constructor() {
    super('The signature of the event is not that of this integration');
  }
}

/** The parts of a git host's request that identify its sender. */
export interface SignedEvent {
  /** Takes lower-case names; empty if absent. */
  header(name: string): string;
  /** Raw bytes: the signature covers every byte. */
  body: Buffer;
}

/** What the signature covers, beyond the body. */
export interface Vouched {
  /** Identifies the delivery; stays the same when it is resent. */
  delivery_id: string;
  /** Whether the signature covers the delivery id: then a different id means a different event. */
  is_id_signed: boolean;
  /** Time of sending, if signed. */
  sent_at?: Date;
}

/** Throws UnsignedEvent unless the sender knows the secret. */
export function verifyEvent(kind: IntegrationKind, event: SignedEvent, secret: string | undefined): Vouched {
  if (!secret) throw new UnsignedEvent();
  return kind === 'github' ? verifyGithub(event, secret) : verifyGitlab(event, secret);
}

function verifyGithub({ header, body }: SignedEvent, secret: string): Vouched {
  const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  if (!isSame(header('x-hub-signature-256'), expected)) throw new UnsignedEvent();
  return { delivery_id: header('x-github-delivery') || digestOf(body), is_id_signed: false };
}

/** Accepts a Standard Webhooks signature, or else the secret itself in a header. */
function verifyGitlab({ header, body }: SignedEvent, secret: string): Vouched {
  const signature = header('webhook-signature');
  if (!signature) {
    if (!isSame(header('x-gitlab-token'), secret)) throw new UnsignedEvent();
    // The first one survives retries.
    const delivery_id = header('idempotency-key') || header('x-gitlab-event-uuid') || digestOf(body);
    return { delivery_id, is_id_signed: true };
  }
  const [id, timestamp] = [header('webhook-id'), header('webhook-timestamp')];
  try {
    const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
    const format = secret.startsWith('whsec_') ? {} : { format: 'raw' as const };
    new Webhook(secret, format).verify(body, headers, { jsonParse: false });
  } catch (error) {
    if (error instanceof WebhookVerificationError) throw new UnsignedEvent();
    throw error;
  }
  return { delivery_id: id, is_id_signed: true, sent_at: new Date(Number(timestamp) * 1000) };
}

export const digestOf = (body: Buffer): string => createHash('sha256').update(body).digest('hex');

/** Compares in constant time. */
const isSame = (given: string, expected: string): boolean =>
  timingSafeEqual(
    createHash('sha256').update(given).digest(),
    createHash('sha256').update(expected).digest(),
  );
