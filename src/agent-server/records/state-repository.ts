import { sealedBlob, sealedJson } from '../../platform/db/sealing.ts';
import { type Database, inPipeline, type Queryable } from '../../platform/db/database.ts';
import type { RunnableConfig } from './run.ts';
import { threadChannel } from '../events/event-frame.ts';
import type { StateSummary } from '../../graph-protocol/messages.ts';

export interface StateOwner {
  /** The graph the thread last ran, or is assigned to. */
  graph_id: string | null;
  values: Record<string, unknown> | null;
  in_flight: boolean;
  /** The configuration of the thread's last run of that graph, or of its assistant; passed to a graph factory. */
  config: RunnableConfig | null;
  context: Record<string, unknown> | null;
}

export async function findStateOwner(db: Queryable, threadId: string): Promise<StateOwner | undefined> {
  const { rows } = await db.query<StateOwner>(
    `select thread.metadata->>'graph_id' as graph_id, "values",
       exists (select from run where thread_id = $1 and status in ('pending', 'running')) as in_flight,
       coalesce(last.kwargs->'config', assistant.config) as config,
       coalesce(last.kwargs->'context', assistant.context) as context
     from thread
     left join lateral (select kwargs from run
       where thread_id = $1 and graph_id = thread.metadata->>'graph_id' and status <> 'pending'
       order by created_at desc limit 1) last on true
     left join assistant on assistant.assistant_id = (thread.metadata->>'assistant_id')::uuid
     where thread.thread_id = $1 and not (hidden and expires_at is not null)`,
    [threadId],
  );
  return rows[0];
}

/** Saves the result of a state update to the thread and notifies the thread's streams. */
export async function saveState(
  db: Database,
  threadId: string,
  { values, interrupts, waiting }: StateSummary,
  update: object,
): Promise<void> {
  await inPipeline(db, [
    {
      text: `update thread set "values" = $2, interrupts = $3, error = null, status = $4,
          updated_at = clock_timestamp(), state_updated_at = clock_timestamp(),
          last_event_ms = greatest(last_event_ms + 1, extract(epoch from clock_timestamp()) * 1000)
        where thread_id = $1`,
      values: [
        threadId,
        sealedJson('thread', 'values', values),
        sealedJson('thread', 'interrupts', interrupts),
        waiting ? 'interrupted' : 'idle',
      ],
    },
    {
      // Stored as a run event, because it may be too large for a notification.
      text: `with event as (
          insert into run_event (thread_id, ms, seq, run_id, event, data)
          select thread_id, last_event_ms, 0, '00000000-0000-0000-0000-000000000000', 'state_update', $2
          from thread where thread_id = $1 returning ms)
        select pg_notify($3, 's00000000-0000-0000-0000-000000000000' || ms || '-0') from event`,
      values: [threadId, sealedBlob('run', 'event', JSON.stringify(update)), threadChannel(threadId)],
    },
  ]);
}
