import { sealedBlob } from '../../platform/db/sealing.ts';
import type { Queryable } from '../../platform/db/database.ts';
import type { RunEvent } from './event-frame.ts';
import type { EventId } from './event-id.ts';

/** The attempt that writes. Once the run is claimed again, writes with the old epoch are refused. */
export interface Fence {
  run_id: string;
  epoch: number;
}

/**
 * Notifies the thread's readers; returns false if the fence does not hold. Nothing is written, so the commit need not
 * wait for the disk.
 */
export async function notifyFenced(
  db: Queryable,
  fence: Fence,
  channel: string,
  payloads: string[],
): Promise<boolean> {
  const { rowCount } = await db.query(NOTIFY, [fence.run_id, fence.epoch, channel, payloads]);
  return rowCount !== 0;
}

const NOTIFY = {
  name: 'notify-events',
  text: `select set_config('synchronous_commit', 'off', true), pg_notify($3, payload)
     from unnest($4::text[]) payload, (select from run where run_id = $1 and epoch = $2 and status = 'running') fence`,
};

/** Stores events and notifies the readers in one commit; returns false if the fence does not hold. */
export async function storeFenced(
  db: Queryable,
  fence: Fence,
  threadId: string,
  events: RunEvent[],
  channel: string,
  payloads: string[],
): Promise<boolean> {
  const { rowCount } = await db.query(
    {
      name: 'store-events',
      text: `with fence as (select run_id from run where run_id = $1 and epoch = $2 and status = 'running' for share),
     stored as (
       insert into run_event (thread_id, ms, seq, run_id, event, data)
       select $3, e.ms, e.seq, fence.run_id, e.event, e.data
       from fence, unnest($4::bigint[], $5::int[], $6::text[], $7::text[]) e (ms, seq, event, data)
     )
     select pg_notify($8, payload) from fence, unnest($9::text[]) payload`,
    },
    [
      fence.run_id,
      fence.epoch,
      threadId,
      events.map(({ id }) => id.ms),
      events.map(({ id }) => id.seq),
      events.map(({ event }) => event),
      events.map(({ data }) => sealedBlob('run', 'event', data)),
      channel,
      payloads,
    ],
  );
  return rowCount !== 0;
}

interface EventRow {
  run_id: string;
  ms: number;
  seq: number;
  event: string;
  data: string;
}

export type StoredEvent = RunEvent & { run_id: string };

/** A thread's stored events after an id, oldest first; optionally only those of one run. */
export async function listEvents(
  db: Queryable,
  threadId: string,
  after: EventId,
  limit: number,
  runId?: string,
): Promise<StoredEvent[]> {
  const { rows } = await db.query<EventRow>(
    `select run_id, ms, seq, event, data from run_event
     where thread_id = $1 and (ms, seq) > ($2::bigint, $3::bigint) and ($5::uuid is null or run_id = $5)
     order by ms, seq limit $4`,
    [threadId, after.ms, after.seq, limit, runId ?? null],
  );
  return rows.map(({ run_id, ms, seq, event, data }) => ({ run_id, id: { ms, seq }, event, data }));
}

export async function findEvent(
  db: Queryable,
  threadId: string,
  id: EventId,
): Promise<StoredEvent | undefined> {
  const { rows } = await db.query<EventRow>(
    'select run_id, ms, seq, event, data from run_event where thread_id = $1 and ms = $2 and seq = $3',
    [threadId, id.ms, id.seq],
  );
  return rows[0] && { run_id: rows[0].run_id, id, event: rows[0].event, data: rows[0].data };
}

/** Deletes the stored events of runs that ended more than `seconds` ago; returns their number. */
export async function deleteExpiredEvents(db: Queryable, seconds: number): Promise<number> {
  const { rowCount } = await db.query(
    `delete from run_event e where not exists (
       select from run r where r.run_id = e.run_id
       and (r.ended_at is null or r.ended_at > now() - make_interval(secs => $1)))
     and e.ms < (extract(epoch from now()) - $1) * 1000`,
    [seconds],
  );
  return rowCount ?? 0;
}
