import type { Queryable, Statement } from '../../platform/db/database.ts';
import { RUN_FIELDS, type Run } from './run.ts';
import type { PublicFailure } from '../../platform/redaction/public-failure.ts';

/** An ended run: the contents of its webhook, except for the time it is sent. */
export interface EndedRun extends Omit<Run, 'status'> {
  status: string;
  run_started_at: string | null;
  run_ended_at: string;
  values: Record<string, unknown> | null;
  error: PublicFailure | null;
}

const time = (column: string): string => `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"')`;
const FIELDS: Record<string, string> = {
  ...Object.fromEntries(RUN_FIELDS.map((field) => [field, `run.${field}`])),
  // A delayed run counts as created when it is due (contract §5.1).
  created_at: time('run.due_at'),
  updated_at: time('run.updated_at'),
  status: 'coalesce($3, run.status)',
  run_started_at: time('run.started_at'),
  run_ended_at: time('run.ended_at'),
  // A thread created only for the run has no state to show (contract §12).
  values: `case when not (run.kwargs->>'temporary')::boolean then thread."values" end`,
  error: 'run.error',
};
const PAYLOAD = Object.entries(FIELDS)
  .map(([field, expression]) => `'${field}', ${expression}`)
  .join(', ');

/**
 * Queues the webhook in the transaction that ends a run, with a snapshot of run and thread. With `settlement`, does
 * so only if that settlement took effect. `status` overrides the row's status in the webhook.
 */
export const webhookInsert = (
  runId: string,
  { settlement, status }: { settlement?: string; status?: string },
): Statement => ({
  text: `insert into webhook_delivery (run_id, payload)
    select run_id, json_build_object(${PAYLOAD}) from run join thread using (thread_id)
    where run_id = $1 and ($2::uuid is null or settlement = $2)
    on conflict (run_id) do nothing`,
  values: [runId, settlement ?? null, status ?? null],
});

export interface Delivery {
  payload: EndedRun;
  /** Including this one. */
  attempts: number;
}

/** Counts an attempt; one that was given up starts over. Undefined if the webhook was delivered. */
export async function beginAttempt(db: Queryable, runId: string): Promise<Delivery | undefined> {
  const { rows } = await db.query<Delivery>(
    `update webhook_delivery set attempts = case when status = 'waiting' then attempts + 1 else 1 end,
       status = 'waiting', due_at = clock_timestamp() where run_id = $1 returning payload, attempts`,
    [runId],
  );
  return rows[0];
}

export async function postponeDelivery(
  db: Queryable,
  runId: string,
  failure: string,
  delayMs: number,
): Promise<void> {
  await db.query(
    `update webhook_delivery set failure = $2, due_at = clock_timestamp() + make_interval(secs => $3)
     where run_id = $1`,
    [runId, failure, delayMs / 1000],
  );
}

// Releases a thread created only for the run.
const releaseThread = (delivery: string): string => `with delivery as (${delivery} returning payload)
  update thread set ttl_strategy = 'delete', expires_at = clock_timestamp() + make_interval(secs => $2)
  from delivery where thread_id = (payload->>'thread_id')::uuid and expires_at is null
    and (payload->'kwargs'->>'temporary')::boolean`;

/** Marks the webhook as delivered; a thread created only for the run expires after `seconds`. */
export async function finishDelivery(db: Queryable, runId: string, seconds: number): Promise<void> {
  await db.query(releaseThread('delete from webhook_delivery where run_id = $1'), [runId, seconds]);
}

/** Keeps the webhook for an operator, who may retry it, but releases its thread. */
export async function giveUpDelivery(
  db: Queryable,
  runId: string,
  failure: string,
  seconds: number,
): Promise<void> {
  await db.query(
    releaseThread(`update webhook_delivery set status = 'given_up', failure = $3, due_at = clock_timestamp()
      where run_id = $1`),
    [runId, seconds, failure],
  );
}

/** Runs whose webhook retry is at least `seconds` overdue, most overdue first. */
export async function listOverdue(db: Queryable, seconds: number, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ run_id: string }>(
    `select run_id from webhook_delivery where status = 'waiting' and due_at < now() - make_interval(secs => $1)
     order by due_at limit $2`,
    [seconds, limit],
  );
  return rows.map(({ run_id }) => run_id);
}

/** An undelivered webhook. */
export interface DeliveryRow {
  status: 'waiting' | 'given_up';
  attempts: number;
  failure: string | null;
  due_at: string;
}

export async function findDelivery(db: Queryable, runId: string): Promise<DeliveryRow | undefined> {
  const { rows } = await db.query<DeliveryRow>(
    'select status, attempts, failure, due_at from webhook_delivery where run_id = $1',
    [runId],
  );
  return rows[0];
}

/** Makes a webhook due now; one that was given up starts over. Returns false if it was delivered. */
export async function makeDue(db: Queryable, runId: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `update webhook_delivery set due_at = clock_timestamp(),
       attempts = case when status = 'waiting' then attempts else 0 end, status = 'waiting' where run_id = $1`,
    [runId],
  );
  return rowCount === 1;
}

const GIVEN_UP_DAYS = 7;

/** Deletes webhooks given up over a week ago; returns the count. */
export async function deleteGivenUp(db: Queryable, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `delete from webhook_delivery where run_id in (
       select run_id from webhook_delivery where status = 'given_up' and due_at < now() - make_interval(days => $1)
       limit $2)`,
    [GIVEN_UP_DAYS, limit],
  );
  return rowCount ?? 0;
}
