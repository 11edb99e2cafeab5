import { type Static, Type } from 'typebox';
import { Nullable, StringEnum, Timestamp, Uuid } from '../../platform/schema.ts';

/** One POST of a webhook, and its result. */
export const DeliveryAttempt = Type.Object({
  attempt: Type.Integer(),
  /** When the receiver answered or the attempt failed. */
  at: Timestamp,
  /** A status (`HTTP 503`) or an error (`timeout`, `ECONNREFUSED`); never an address. */
  answer: Type.String(),
});

/** Status of a run's webhook; not part of the SDK's contract. */
export const WebhookDelivery = Type.Object({
  /** The `webhook-id` sent to the receiver. */
  delivery_id: Uuid,
  run_id: Uuid,
  thread_id: Uuid,
  state: StringEnum(['waiting', 'delivered', 'given_up']),
  /** Number of attempts started. */
  attempts: Type.Integer(),
  /** Error of the last attempt; null if delivered or not tried yet. */
  last_error: Nullable(Type.String()),
  /** Only while pending. */
  next_attempt_at: Nullable(Timestamp),
  /** The latest attempts, oldest first; null if the workflow can't be queried. */
  latest: Nullable(Type.Array(DeliveryAttempt)),
});
export type WebhookDelivery = Static<typeof WebhookDelivery>;
