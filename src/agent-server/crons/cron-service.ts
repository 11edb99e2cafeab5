import { randomUUID } from 'node:crypto';
import { inTransaction, sqlState } from '../../platform/db/database.ts';
import { BadRequest } from '../../platform/errors.ts';
import type { AgentDeps } from '../agent-deps.ts';
import type { Caller } from '../caller.ts';
import { AssistantNotFound, CronNotFound, ThreadNotFound } from '../errors.ts';
import { clientMetadata } from '../reserved-keys.ts';
import type { Cron, CronCreate, CronPatch } from '../records/cron.ts';
import { requireReadableAssistant, requireReadableThread } from './cron-access.ts';
import { nextDate, readDate } from './cron-dates.ts';
import { payloadOf } from './cron-payload.ts';
import { adoptPause } from './cron-pauses.ts';
import { deleteCron, findCron, insertCron, lockCron, updateCron } from '../records/cron-repository.ts';
import { scheduleSoon, unschedule } from '../schedules/cron-scheduling.ts';
import { checkSpec } from '../schedules/cron-times.ts';

/**
 * Creates a cron that runs on behalf of the caller, with or without a thread. Throws AssistantNotFound,
 * ThreadNotFound, InvalidRequest, BadRequest, WebhookRefused.
 */
export async function createCron(
  deps: AgentDeps,
  caller: Caller,
  create: CronCreate,
  threadId: string | null = null,
): Promise<Cron> {
  const { assistant_id: ref, schedule, timezone = null, enabled = create.is_enabled ?? true } = create;
  checkSpec({ schedule, timezone });
  const end_time = create.end_time ? readDate(create.end_time, 'end_time') : null;
  const cron_id = randomUUID();
  const user_id = caller.user?.identity ?? '';
  const payload = payloadOf(cron_id, create, { assistant_id: ref });
  const value = {
    cron_id,
    thread_id: threadId,
    user_id,
    schedule,
    end_time,
    payload,
    metadata: clientMetadata(create.metadata),
  };
  await deps.access.authorize(caller, 'crons', 'create', value);
  await deps.webhooks.accept(create.webhook);
  const { assistant_id } = await requireReadableAssistant(deps, caller, ref);
  if (threadId !== null) await requireReadableThread(deps, caller, threadId);
  const created = await insertCron(deps.db, {
    cron_id,
    assistant_id,
    thread_id: threadId,
    user_id,
    caller,
    schedule,
    timezone,
    end_time,
    payload,
    metadata: value.metadata,
    on_run_completed: threadId === null ? (create.on_run_completed ?? 'delete') : null,
    enabled,
    next_run_date: nextDate({ schedule, timezone, end_time }, new Date()),
  }).catch((error: unknown) => {
    if (sqlState(error) !== '23503') throw error;
    // Deleted since we checked.
    const { constraint = '' } = error as { constraint?: string };
    throw constraint.includes('thread') ? new ThreadNotFound(threadId!) : new AssistantNotFound(ref);
  });
  await scheduleSoon(deps, cron_id);
  return created;
}

/**
 * Updates a cron: merges metadata and replaces the payload fields given. A new schedule, or enabling the cron again,
 * makes it wait for the next time from now. Throws CronNotFound, InvalidRequest, BadRequest.
 */
export async function patchCron(
  deps: AgentDeps,
  caller: Caller,
  id: string,
  patch: CronPatch,
): Promise<Cron> {
  if (Object.keys(patch).length === 0) throw new BadRequest('Request body cannot be empty');
  const value = {
    cron_id: id,
    schedule: patch.schedule,
    payload: patch,
    metadata: clientMetadata(patch.metadata),
  };
  const filter = await deps.access.authorize(caller, 'crons', 'update', value);
  await deps.webhooks.accept(patch.webhook ?? undefined);
  const known = await findCron(deps.db, id, filter);
  if (!known) throw new CronNotFound(id);
  // Otherwise the update would silently undo an operator's change to the schedule.
  await adoptPause(deps, known).catch(() => false);
  const changed = await inTransaction(deps.db, async (tx) => {
    const before = await lockCron(tx, id, filter);
    if (!before) throw new CronNotFound(id);
    const { schedule = before.schedule, timezone = before.timezone } = patch;
    const enabled = patch.enabled ?? patch.is_enabled ?? before.enabled;
    checkSpec({ schedule, timezone });
    const end_time =
      patch.end_time === undefined ? before.end_time : patch.end_time && readDate(patch.end_time, 'end_time');
    const moved =
      schedule !== before.schedule ||
      timezone !== before.timezone ||
      end_time !== before.end_time ||
      (enabled && !before.enabled);
    return updateCron(tx, id, {
      schedule,
      timezone,
      end_time,
      enabled,
      payload: payloadOf(
        id,
        { ...patch, ...(patch.metadata && { metadata: value.metadata }) },
        before.payload,
      ),
      metadata: { ...before.metadata, ...value.metadata },
      on_run_completed:
        before.thread_id === null ? (patch.on_run_completed ?? before.on_run_completed) : null,
      next_run_date: moved
        ? nextDate({ schedule, timezone, end_time }, new Date(before.now))
        : before.next_run_date,
    });
  });
  await scheduleSoon(deps, id);
  return changed;
}

/** Throws CronNotFound. */
export async function removeCron(deps: AgentDeps, caller: Caller, id: string): Promise<void> {
  const filter = await deps.access.authorize(caller, 'crons', 'delete', { cron_id: id });
  if (!(await deleteCron(deps.db, id, filter))) throw new CronNotFound(id);
  await unschedule(deps, [id]);
}
