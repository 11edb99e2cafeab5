import { uuid7 } from '../../platform/ids.ts';
import type { JsonObject } from '../../platform/schema.ts';
import { clientConfigurable, clientMetadata } from '../reserved-keys.ts';
import { refuseBoth } from '../runs/run-kwargs.ts';
import type { RequestOrigin } from '../runs/run-plan.ts';
import type { RunCreate, RunnableConfig } from '../records/run.ts';
import { type CronPatch, PAYLOAD_FIELDS } from '../records/cron.ts';
import type { CronRow } from '../records/cron-repository.ts';

/**
 * The payload of a cron's runs (contract §7): merges the given fields over the previous ones and adds the cron's id
 * to the configurable. Throws BadRequest if both configurable and context are given.
 */
export function payloadOf(cronId: string, given: CronPatch, before: JsonObject): JsonObject {
  const payload = { ...before };
  for (const field of PAYLOAD_FIELDS) if (given[field] !== undefined) payload[field] = given[field];
  if (given.metadata)
    payload['metadata'] = { ...(before['metadata'] as JsonObject), ...clientMetadata(given.metadata) };
  const config = (payload['config'] ?? {}) as RunnableConfig;
  const { cron_id: _, ...configurable } = clientConfigurable(config.configurable);
  refuseBoth(configurable, clientConfigurable(payload['context'] as JsonObject | undefined));
  return { ...payload, config: { ...config, configurable: { ...configurable, cron_id: cronId } } };
}

export interface CronRun {
  thread_id: string | undefined;
  body: RunCreate;
  origin: RequestOrigin & { metadata: JsonObject };
}

/** The request that starts a run of the cron, on behalf of its creator. */
export function runOf(cron: CronRow): CronRun {
  const { cron_id, payload, caller } = cron;
  const { config, ...given } = payload as Partial<RunCreate>;
  const { cron_id: _, ...configurable } = config?.configurable ?? {};
  // A kept thread is a regular one, so that clients can find it by its cron.
  const keeps = cron.thread_id === null && cron.on_run_completed === 'keep';
  const body: RunCreate = {
    multitask_strategy: 'enqueue',
    ...given,
    assistant_id: cron.assistant_id,
    config: { ...config, configurable },
    metadata: { ...given.metadata, ...cron.metadata },
    ...(keeps && { if_not_exists: 'create' as const }),
  };
  return {
    thread_id: cron.thread_id ?? (keeps ? uuid7() : undefined),
    body,
    origin: {
      request_id: uuid7(),
      caller: { ...caller, configurable: { ...caller.configurable, cron_id } },
      metadata: { cron_id },
    },
  };
}
