import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { PublicError } from '../../platform/errors.ts';
import type { IntegrationKind } from '../integrations/integration.ts';

/** An event nobody vouches for; which integrations there are is not told by it. */
export class UnsignedEvent extends PublicError {
  override readonly name = 'UnsignedEvent';
  readonly status = 401;
  constructor() {
    super('The signature of the event is not that of this integration');
  }
}

/** A request of a git host, as far as it says who it is from. */
export interface SignedEvent {
  /** Lower-case names; empty where there is none. */
  header(name: string): string;
  /** As it came: a signature is over every byte of it. */
  body: Buffer;
}

/** What the signature vouches for, beyond the body. */
export interface Vouched {
  /** What tells this delivery from others, and is the same when it is sent again. */
  delivery_id: string;
  /** The delivery id is signed: an event under another id is another event. */
  is_id_signed: boolean;
  /** When it was sent, where that is signed. */
  sent_at?: Date;
}

/** Throws UnsignedEvent unless whoever sent it knows the secret. */
export function verifyEvent(kind: IntegrationKind, event: SignedEvent, secret: string | undefined): Vouched {
  if (!secret) throw new UnsignedEvent();
  return kind === 'github' ? verifyGithub(event, secret) : verifyGitlab(event, secret);
}

function verifyGithub({ header, body }: SignedEvent, secret: string): Vouched {
  const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  if (!isSame(header('x-hub-signature-256'), expected)) throw new UnsignedEvent();
  return { delivery_id: header('x-github-delivery') || digestOf(body), is_id_signed: false };
}

/** By a signature of the Standard Webhooks kind where there is one; else the secret itself is sent. */
function verifyGitlab({ header, body }: SignedEvent, secret: string): Vouched {
  const signature = header('webhook-signature');
  if (!signature) {
    if (!isSame(header('x-gitlab-token'), secret)) throw new UnsignedEvent();
    // The first is the same when it is tried again.
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

/** In a time that does not tell how much of it is right. */
const isSame = (given: string, expected: string): boolean =>
  timingSafeEqual(
    createHash('sha256').update(given).digest(),
    createHash('sha256').update(expected).digest(),
  );
