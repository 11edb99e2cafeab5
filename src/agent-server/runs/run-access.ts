import type { RowFilter } from '../../platform/db/row-filter.ts';
import type { JsonObject } from '../../platform/schema.ts';
import type { Access } from '../auth/access.ts';
import type { RunRequest } from './run-plan.ts';
import type { RunCreate } from '../records/run.ts';

/**
 * Checks whether the caller may start the run, and on which threads. The run uses the values (metadata, input,
 * config, …) as the project's handler changed them.
 */
export async function authorizeRun(
  access: Access,
  create: RunCreate,
  { run_id, thread_id, threadless, caller }: RunRequest,
): Promise<{ create: RunCreate; reach: RowFilter | undefined }> {
  if (!caller.user) return { create, reach: undefined };
  const { input, command, config, context, stream_mode, interrupt_before, interrupt_after, webhook } = create;
  const kwargs = { input, command, config, context, stream_mode, interrupt_before, interrupt_after, webhook };
  const asked = {
    run_id,
    thread_id,
    assistant_id: create.assistant_id,
    status: 'pending',
    metadata: create.metadata ?? {},
    multitask_strategy: create.multitask_strategy,
    prevent_insert_if_inflight: create.multitask_strategy === 'reject',
    if_not_exists: threadless ? 'create' : (create.if_not_exists ?? create.on_not_exist ?? 'reject'),
    after_seconds: create.after_seconds ?? 0,
    kwargs,
  };
  const reach = await access.authorize(caller, 'threads', 'create_run', asked);
  const { metadata, assistant_id, multitask_strategy, after_seconds } = asked;
  const changed = {
    ...create,
    ...given(asked.kwargs),
    metadata,
    assistant_id,
    multitask_strategy,
    after_seconds,
  };
  return { create: changed, reach };
}

const given = <Fields extends object>(fields: Fields): { [Key in keyof Fields]?: NonNullable<Fields[Key]> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;

/** Checks whether the caller may create the run's thread; returns the thread's metadata. */
export async function authorizeThread(
  access: Access,
  { metadata = {} }: RunCreate,
  { thread_id, caller }: RunRequest,
): Promise<JsonObject> {
  const asked = { thread_id, metadata: { ...metadata }, if_exists: 'do_nothing' };
  await access.authorize(caller, 'threads', 'create', asked);
  return asked.metadata;
}
