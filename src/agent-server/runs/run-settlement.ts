import { sealedBlob, sealedJson } from '../../platform/db/sealing.ts';
import { randomUUID } from 'node:crypto';
import type { Database, Statement } from '../../platform/db/database.ts';
import { inPipeline } from '../../platform/db/database.ts';
import { endPayload, packEvents, type RunEvent, threadChannel } from '../events/event-frame.ts';
import { webhookInsert } from '../webhooks/webhook-delivery-repository.ts';
import type { PublicFailure } from '../../platform/redaction/public-failure.ts';
import type { RunStatus } from './run.ts';
import type { StateSummary } from '../../graph-protocol/messages.ts';
import { lockThread } from './run-repository.ts';

export interface Settlement {
  run_id: string;
  thread_id: string;
  /** Absent when the workflow settles a run that no activity holds. */
  epoch?: number;
  /** States in which the run may be settled; any unfinished one when absent. */
  from?: ('pending' | 'running')[] | undefined;
  status: Extract<RunStatus, 'success' | 'error' | 'interrupted'>;
  /** It was stopped; an interrupted run that was not waits for an answer. */
  cancelled?: boolean;
  /** The thread's state as the graph left it; undefined leaves what the thread has. */
  state?: StateSummary | undefined;
  error?: PublicFailure | null;
  /** What the thread shows as its error, where that is not the run's. */
  thread_error?: PublicFailure | null | undefined;
  /** Last events of the run: published, and stored where it is resumable, together with the outcome. */
  events: RunEvent[];
  resumable: boolean;
  /** True when a webhook is to be sent; it then keeps a thread that was made for this run alone. */
  webhook: boolean;
  /** Seconds after which the thread goes too: it was made for this run alone. */
  thread_expires_in?: number | undefined;
  /** Result for the callers that wait, as JSON text. */
  output: string;
}

/**
 * Writes a run's outcome everywhere at once: run, thread, last events and the end that its readers wait for. No
 * reader sees a finished run on a busy thread, or a closed stream of an unfinished run. Returns false when the run
 * has its outcome already or was claimed by a later attempt.
 */
export async function settleRun(db: Database, settlement: Settlement): Promise<boolean> {
  const { run_id, thread_id, epoch, status, state, error = null, thread_error = error, events } = settlement;
  // Without a state the graph did not move: the thread is what its open interrupts say.
  const threadStatus = error ? 'error' : !state ? null : state.waiting ? 'interrupted' : 'idle';
  const { payloads, oversized } = packEvents(run_id, events);
  const stored = settlement.resumable ? events : oversized;
  const settled = `exists (select from run where run_id = $1 and settlement = $2)`;
  // Names this settlement among all that may be tried, so that the statements below take effect together or not.
  const mark = randomUUID();
  const [, updated] = await inPipeline<[object[], { run_id: string }[]]>(db, [
    lockThread(thread_id),
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
        where thread_id = $3 and ${settled}`,
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
  return updated.length > 0;
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
