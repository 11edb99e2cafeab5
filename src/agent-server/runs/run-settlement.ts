import { sealedBlob, sealedJson } from '../../platform/db/sealing.ts';
import { randomUUID } from 'node:crypto';
import type { Database, Statement } from '../../platform/db/database.ts';
import { inPipeline } from '../../platform/db/database.ts';
import { endPayload, packEvents, type RunEvent, threadChannel } from '../events/event-frame.ts';
import { checkpointInsert } from '../checkpoints/checkpoint-insert.ts';
import type { WriteUnit } from '../../graph-protocol/checkpoint-record.ts';
import { webhookInsert } from '../records/webhook-delivery-repository.ts';
import type { PublicFailure } from '../../platform/redaction/public-failure.ts';
import type { RunStatus } from '../records/run.ts';
import type { StateSummary } from '../../graph-protocol/messages.ts';
import { lockThread } from '../records/run-repository.ts';

export interface Settlement {
  run_id: string;
  thread_id: string;
  /** Absent if the workflow settles a run that no activity has claimed. */
  epoch?: number;
  /** Statuses from which the run may be settled; by default both unfinished ones. */
  from?: ('pending' | 'running')[] | undefined;
  status: Extract<RunStatus, 'success' | 'error' | 'interrupted'>;
  /** True if the run was cancelled; other interrupted runs wait for an answer. */
  cancelled?: boolean;
  /** The thread's state as the graph left it; undefined leaves the thread's state as it is. */
  state?: StateSummary | undefined;
  error?: PublicFailure | null;
  /** The thread's error, if it differs from the run's. */
  thread_error?: PublicFailure | null | undefined;
  /** Last checkpoints of the run, stored if it is still this attempt's. */
  units?: WriteUnit[] | undefined;
  /** Last events of the run: published, and stored where it is resumable, together with the outcome. */
  events: RunEvent[];
  resumable: boolean;
  /** True if a webhook must be sent; until then a thread created for this run alone is kept. */
  webhook: boolean;
  /** Seconds until the thread is removed; set if it was created for this run alone. */
  thread_expires_in?: number | undefined;
  /** Result for waiting callers, as JSON text. */
  output: string;
}

/**
 * Writes a run's outcome in one transaction: run, thread, final events, and the end that readers wait for. So no
 * reader sees a finished run on a busy thread, or a closed stream of an unfinished run. Returns false if the run is
 * already settled or a later attempt claimed it, and `followed` if another run of the thread was accepted.
 */
export async function settleRun(
  db: Database,
  settlement: Settlement,
): Promise<'settled' | 'followed' | false> {
  const { run_id, thread_id, epoch, status, state, error = null, thread_error = error, events } = settlement;
  // Without a state the graph did not advance; open interrupts decide the thread's status.
  const threadStatus = error ? 'error' : !state ? null : state.waiting ? 'interrupted' : 'idle';
  const { payloads, oversized } = packEvents(run_id, events);
  const stored = settlement.resumable ? events : oversized;
  const settled = `exists (select from run where run_id = $1 and settlement = $2)`;
  // Identifies this settlement, so that the statements after the first update take effect only if it did.
  const mark = randomUUID();
  const { units = [] } = settlement;
  const before = [
    lockThread(thread_id),
    ...(units.length > 0 && epoch !== undefined ? [checkpointInsert(units, { run_id, epoch })] : []),
  ];
  const rows = await inPipeline<object[][]>(db, [
    ...before,
    {
      name: 'settle-run',
      text: `update run set status = $3, error = $4, settlement = $2, cancelled = $7, ended_at = clock_timestamp(),
          updated_at = clock_timestamp()
        where run_id = $1 and status = any($6) and ($5::int is null or (epoch = $5 and status = 'running'))
        returning run_id`,
      values: [
        run_id,
        mark,
        status,
        error && JSON.stringify(error),
        epoch ?? null,
        settlement.from ?? ['pending', 'running'],
        settlement.cancelled ?? false,
      ],
    },
    {
      name: 'settle-thread',
      text: `update thread set updated_at = clock_timestamp(), state_updated_at = clock_timestamp(),
          "values" = coalesce($4::jsonb, "values"), interrupts = coalesce($5::jsonb, interrupts), error = $6,
          last_event_ms = greatest(last_event_ms, $7),
          ttl_strategy = case when $9::float8 is null then ttl_strategy else 'delete' end,
          expires_at = coalesce(clock_timestamp() + make_interval(secs => $9), expires_at),
          status = case when exists (
            select from run where thread_id = $3 and status in ('pending', 'running')) then 'busy'
            else coalesce($8, case when interrupts <> '{}' then 'interrupted' else 'idle' end) end
        where thread_id = $3 and ${settled} returning status`,
      values: [
        run_id,
        mark,
        thread_id,
        state ? sealedJson('thread', 'values', state.values) : null,
        state ? sealedJson('thread', 'interrupts', state.interrupts) : null,
        thread_error && JSON.stringify(thread_error),
        events.at(-1)?.id.ms ?? 0,
        threadStatus,
        settlement.webhook ? null : (settlement.thread_expires_in ?? null),
      ],
    },
    ...(settlement.webhook ? [webhookInsert(run_id, { settlement: mark })] : []),
    ...storeStatements(stored, run_id, mark, thread_id, settled),
    {
      name: 'settle-notify',
      text: `select pg_notify($3, payload) from unnest($4::text[]) payload where ${settled}`,
      values: [
        run_id,
        mark,
        threadChannel(thread_id),
        [...payloads, endPayload(run_id, { status, output: settlement.output })],
      ],
    },
  ]);
  const [updated, threads] = rows.slice(before.length) as [object[], { status: string }[]];
  if (updated.length === 0) return false;
  return threads[0]?.status === 'busy' ? 'followed' : 'settled';
}

function storeStatements(
  events: RunEvent[],
  runId: string,
  mark: string,
  threadId: string,
  settled: string,
): Statement[] {
  if (events.length === 0) return [];
  return [
    {
      name: 'settle-events',
      text: `insert into run_event (thread_id, ms, seq, run_id, event, data)
        select $3, e.ms, e.seq, $1, e.event, e.data
        from unnest($4::bigint[], $5::int[], $6::text[], $7::text[]) e (ms, seq, event, data) where ${settled}`,
      values: [
        runId,
        mark,
        threadId,
        events.map(({ id }) => id.ms),
        events.map(({ id }) => id.seq),
        events.map(({ event }) => event),
        events.map(({ data }) => sealedBlob('run', 'event', data)),
      ],
    },
  ];
}
