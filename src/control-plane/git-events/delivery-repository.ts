import type { Queryable } from '../../platform/db/database.ts';
import type { GitEventAnswer } from './git-event-answer.ts';

export interface Delivery {
  integration_id: string;
  delivery_id: string;
  /** Null when the delivery id is signed. */
  digest: string | null;
  /** Branch or pull request. */
  subject: string | null;
  happened_at: Date | null;
}

/**
 * Records an event. Returns the earlier answer if it was received before; undefined if not, or if the process died
 * before answering.
 */
export async function rememberDelivery(
  db: Queryable,
  { integration_id, delivery_id, digest, subject, happened_at }: Delivery,
): Promise<GitEventAnswer | undefined> {
  await db.query(
    `insert into control_plane.git_delivery (integration_id, delivery_id, digest, subject, happened_at)
     values ($1, $2, $3, $4, $5) on conflict do nothing`,
    [integration_id, delivery_id, digest, subject, happened_at],
  );
  return findAnswer(db, integration_id, delivery_id, digest);
}

/** Whether a newer event for the same branch or pull request has arrived. */
export async function isOvertaken(
  db: Queryable,
  { integration_id, subject, happened_at }: Delivery,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `select from control_plane.git_delivery
     where integration_id = $1 and subject = $2 and happened_at > $3 limit 1`,
    [integration_id, subject, happened_at],
  );
  return rowCount === 1;
}

/** Stores the event's answer unless a concurrent request did. Returns the stored answer. */
export async function answerDelivery(
  db: Queryable,
  { integration_id, delivery_id, digest }: Delivery,
  answer: GitEventAnswer,
): Promise<GitEventAnswer> {
  const { rowCount } = await db.query(
    `update control_plane.git_delivery set answer = $4
     where integration_id = $1 and (delivery_id = $2 or digest = $3) and answer is null`,
    [integration_id, delivery_id, digest, JSON.stringify(answer)],
  );
  return rowCount === 0 ? ((await findAnswer(db, integration_id, delivery_id, digest)) ?? answer) : answer;
}

async function findAnswer(
  db: Queryable,
  integrationId: string,
  deliveryId: string,
  digest: string | null,
): Promise<GitEventAnswer | undefined> {
  const { rows } = await db.query<{ answer: GitEventAnswer }>(
    `select answer from control_plane.git_delivery
     where integration_id = $1 and (delivery_id = $2 or digest = $3) and answer is not null limit 1`,
    [integrationId, deliveryId, digest],
  );
  return rows[0]?.answer;
}

/** Returns how many were deleted. */
export async function forgetDeliveries(db: Queryable, afterSeconds: number): Promise<number> {
  const { rowCount } = await db.query(
    `delete from control_plane.git_delivery
     where received_at < clock_timestamp() - make_interval(secs => $1)`,
    [afterSeconds],
  );
  return rowCount ?? 0;
}
