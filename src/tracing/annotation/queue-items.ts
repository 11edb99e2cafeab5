import { type Static, Type } from 'typebox';
import type { Queryable } from '../../platform/db/database.ts';
import { InvalidRequest } from '../../platform/errors.ts';
import { type JsonObject, StringEnum, Uuid } from '../../platform/schema.ts';
import { findRuns } from '../runs/run-repository.ts';
import { ITEM_TYPES, type QueueRun } from './annotation-queue.ts';
import type { RunToReview, ThreadToReview } from './queue-additions.ts';
import { startsOfThreads } from './queue-run-repository.ts';

/** Items to add (contract §1.14): runs by id, threads by name and project. */
export const QueueItems = Type.Array(
  Type.Object({
    item_type: StringEnum(ITEM_TYPES, { default: 'RUN' }),
    run_id: Type.Optional(Uuid),
    source_proposed_example_id: Type.Optional(Uuid),
    thread_id: Type.Optional(Type.String({ minLength: 1, maxLength: 10_000 })),
    project_id: Type.Optional(Uuid),
    // Alias of project_id.
    session_id: Type.Optional(Uuid),
  }),
  { maxItems: 10_000 },
);

/** Removes duplicates. Throws InvalidRequest for items without the ids their type needs. */
export function readItems(items: Static<typeof QueueItems>): {
  runs: RunToReview[];
  threads: ThreadToReview[];
} {
  const runs = new Map<string, RunToReview>();
  const threads = new Map<string, ThreadToReview>();
  for (const { item_type, run_id, source_proposed_example_id, thread_id, ...rest } of items) {
    const project_id = rest.project_id ?? rest.session_id;
    if (item_type === 'RUN') {
      if (!run_id) throw new InvalidRequest('An item of type RUN needs a run_id');
      runs.set(run_id, { run_id, source_proposed_example_id });
    } else {
      if (!thread_id || !project_id)
        throw new InvalidRequest('An item of type THREAD needs a thread_id and a project_id');
      threads.set(`${project_id} ${thread_id}`, { project_id, thread_id });
    }
  }
  return { runs: [...runs.values()], threads: [...threads.values()] };
}

/** Adds the project and start time of each run or thread; null if it no longer exists. */
export async function viewItems(db: Queryable, tenantId: string, items: QueueRun[]): Promise<JsonObject[]> {
  const ids = items.flatMap(({ run_id }) => run_id ?? []);
  const runs = new Map((await findRuns(db, tenantId, ids)).map((run) => [run.id, run]));
  const starts = await startsOfThreads(db, tenantId, items);
  return items.map(({ completed_at: _done, run_id, project_id, ...item }) => {
    const run = run_id === null ? undefined : runs.get(run_id);
    return {
      ...item,
      run_id,
      item_type: run_id === null ? 'THREAD' : 'RUN',
      project_id: project_id ?? run?.project_id ?? null,
      start_time: run?.start_time ?? starts.get(item.id) ?? null,
      assigned_to: [],
    };
  });
}
