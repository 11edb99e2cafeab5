import { type Static, Type } from 'typebox';
import { PAGE, SortOrder } from '../../platform/http/pagination.ts';
import { JsonObject, Nullable, StringEnum, Timestamp, Uuid } from '../../platform/schema.ts';
import { RunCreate } from './run.ts';

export const CronPath = Type.Object({ cron_id: Uuid });

/** A cron in API format (contract §7). `enabled` and `is_enabled` are aliases. */
export const Cron = Type.Object({
  cron_id: Uuid,
  assistant_id: Uuid,
  thread_id: Type.Union([Uuid, Type.Null()]),
  user_id: Type.String(),
  schedule: Type.String(),
  timezone: Nullable(Type.String()),
  end_time: Type.Union([Timestamp, Type.Null()]),
  payload: JsonObject,
  webhook: Nullable(Type.String()),
  next_run_date: Type.Union([Timestamp, Type.Null()]),
  metadata: JsonObject,
  on_run_completed: Type.Union([StringEnum(['delete', 'keep']), Type.Null()]),
  enabled: Type.Boolean(),
  is_enabled: Type.Boolean(),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Cron = Static<typeof Cron>;

export const CRON_FIELDS = Object.keys(Cron.properties) as (keyof Cron)[];

/** The fields of a run request that a cron stores for its runs, in addition to the assistant. */
const PAYLOAD = {
  ...Type.Pick(RunCreate, [
    'input',
    'config',
    'context',
    'webhook',
    'interrupt_before',
    'interrupt_after',
    'stream_mode',
    'stream_subgraphs',
    'stream_resumable',
    'durability',
    'checkpoint_during',
    'if_not_exists',
  ]).properties,
  multitask_strategy: Type.Optional(StringEnum(['reject', 'interrupt', 'rollback', 'enqueue'])),
};
export const PAYLOAD_FIELDS = Object.keys(PAYLOAD) as (keyof typeof PAYLOAD)[];

const CHANGEABLE = {
  ...PAYLOAD,
  metadata: Type.Optional(JsonObject),
  timezone: Type.Optional(Nullable(Type.String())),
  /** ISO 8601; without an offset it is UTC. */
  end_time: Type.Optional(Nullable(Type.String())),
  enabled: Type.Optional(Type.Boolean()),
  is_enabled: Type.Optional(Type.Boolean()),
  on_run_completed: Type.Optional(StringEnum(['delete', 'keep'])),
};

export const CronCreate = Type.Object({
  assistant_id: Type.String({ minLength: 1 }),
  schedule: Type.String(),
  ...CHANGEABLE,
});
export type CronCreate = Static<typeof CronCreate>;

/** Merges `metadata` key by key and replaces the payload fields given; null clears `end_time` and `timezone`. */
export const CronPatch = Type.Object({ schedule: Type.Optional(Type.String()), ...CHANGEABLE });
export type CronPatch = Static<typeof CronPatch>;

/** `on_run_completed` applies to the triggered run, overriding the cron's own. */
export const CronTrigger = Type.Object({
  on_run_completed: Type.Optional(StringEnum(['delete', 'keep'])),
});
export type CronTrigger = Static<typeof CronTrigger>;

const FILTER = {
  /** An assistant id or a graph name. */
  assistant_id: Type.Optional(Type.String()),
  thread_id: Type.Optional(Uuid),
  metadata: Type.Optional(JsonObject),
  enabled: Type.Optional(Type.Boolean()),
  is_enabled: Type.Optional(Type.Boolean()),
};

export const CronCount = Type.Object(FILTER);
export type CronCount = Static<typeof CronCount>;

const SORTED_BY = [
  'cron_id',
  'assistant_id',
  'thread_id',
  'next_run_date',
  'end_time',
  'created_at',
  'updated_at',
] as const;

export const CronSearch = Type.Object({
  ...FILTER,
  ...PAGE,
  sort_by: StringEnum(SORTED_BY, { default: 'created_at' }),
  sort_order: SortOrder,
  /** `now` is the server's time. */
  select: Type.Optional(Type.Array(StringEnum([...CRON_FIELDS, 'now']))),
});
export type CronSearch = Static<typeof CronSearch>;
