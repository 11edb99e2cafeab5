import { type Static, Type } from 'typebox';
import { Nullable, StringEnum, Timestamp, Uuid } from '../../platform/schema.ts';

/** One POST of a webhook, and what came of it. */
export const DeliveryAttempt = Type.Object({
  attempt: Type.Integer(),
  /** When the receiver had answered, or nothing more was expected of it. */
  at: Timestamp,
  /** A status (`HTTP 503`), or what went wrong (`timeout`, `ECONNREFUSED`); never an address. */
  answer: Type.String(),
});

/** How far a run's webhook has got; no part of the SDK's contract. */
export const WebhookDelivery = Type.Object({
  /** The `webhook-id` that the receiver gets. */
  delivery_id: Uuid,
  run_id: Uuid,
  thread_id: Uuid,
  state: StringEnum(['waiting', 'delivered', 'given_up']),
  /** How many were begun. */
  attempts: Type.Integer(),
  /** What the last attempt met; null when it is out, or was not tried yet. */
  last_error: Nullable(Type.String()),
  /** Only of one that waits. */
  next_attempt_at: Nullable(Timestamp),
  /** The latest attempts, oldest first; null when the workflow that makes them cannot be asked. */
  latest: Nullable(Type.Array(DeliveryAttempt)),
});
export type WebhookDelivery = Static<typeof WebhookDelivery>;
