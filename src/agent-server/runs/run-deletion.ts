import { sealedJson } from '../../platform/db/sealing.ts';
import type { Database } from '../../platform/db/database.ts';
import { inPipeline } from '../../platform/db/database.ts';
import { gonePayload, packEvents, type RunEvent, threadChannel } from '../events/event-frame.ts';
import { webhookInsert } from '../records/webhook-delivery-repository.ts';
import { lockThread } from '../records/run-repository.ts';
import type { Settlement } from './run-settlement.ts';

export interface Removal {
  /** The thread's state without the run; undefined leaves the thread's state as it is. */
  state?: Settlement['state'];
  /** The graph and assistant that wrote that state. */
  origin?: { graph_id: string | null; assistant_id: string | null } | undefined;
  /** True if the thread was created for this run alone. */
  temporary?: boolean;
  /** True if a webhook reports the run's outcome. */
  webhook?: boolean;
  /** The run's final events, for readers of its thread. */
  events?: RunEvent[];
}

/** Removes a settled run without trace and notifies its readers. */
export async function deleteRun(
  db: Database,
  { run_id, thread_id }: { run_id: string; thread_id: string },
  { state, origin, temporary = false, webhook = false, events = [] }: Removal,
): Promise<void> {
  const { payloads } = packEvents(run_id, events);
  await inPipeline(db, [
    lockThread(thread_id),
    ...(webhook ? [webhookInsert(run_id, { status: 'rollback' })] : []),
    { text: 'delete from run_event where run_id = $1', values: [run_id] },
    {
      // Also removes the run's error from its thread; an older run's error shows again.
      text: `with gone as (delete from run where run_id = $1 returning error),
          kept as (select nullif(thread.error, gone.error) as error from gone, thread where thread_id = $2)
        update thread set updated_at = clock_timestamp(), state_updated_at = clock_timestamp(),
          "values" = coalesce($3::jsonb, "values"), interrupts = coalesce($4::jsonb, interrupts), error = kept.error,
          last_event_ms = greatest(last_event_ms, $6),
          metadata = case
            when exists (select from run where thread_id = $2 and status in ('pending', 'running')) then metadata
            else metadata || $8::jsonb end,
          ttl_strategy = case when $7 then 'delete' else ttl_strategy end,
          expires_at = case when $7 then clock_timestamp() else expires_at end,
          status = case
            when exists (select from run where thread_id = $2 and status in ('pending', 'running')) then 'busy'
            when kept.error->>'error' <> 'UserInterrupt' then 'error' else $5 end
        from kept where thread_id = $2`,
      values: [
        run_id,
        thread_id,
        state ? sealedJson('thread', 'values', state.values) : null,
        state ? sealedJson('thread', 'interrupts', state.interrupts) : null,
        state?.waiting ? 'interrupted' : 'idle',
        events.at(-1)?.id.ms ?? 0,
        temporary,
        JSON.stringify(withoutNulls(origin)),
      ],
    },
    {
      text: 'select pg_notify($1, payload) from unnest($2::text[]) payload',
      values: [threadChannel(thread_id), [...payloads, gonePayload(run_id)]],
    },
  ]);
}

const withoutNulls = (fields: object = {}): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
