import { type Static, Type } from 'typebox';
import { PAGE, SortOrder } from '../../platform/http/pagination.ts';
import { JsonObject, StringEnum, Timestamp, Uuid } from '../../platform/schema.ts';
import { Command } from './run.ts';

export const ThreadPath = Type.Object({ thread_id: Uuid });

export const ThreadStatus = StringEnum(['idle', 'busy', 'interrupted', 'error']);
export type ThreadStatus = Static<typeof ThreadStatus>;

export const TtlStrategy = StringEnum(['delete', 'keep_latest']);
export type TtlStrategy = Static<typeof TtlStrategy>;

const Ttl = Type.Object({ strategy: TtlStrategy, ttl_minutes: Type.Number(), expires_at: Timestamp });

export const Thread = Type.Object({
  thread_id: Uuid,
  created_at: Timestamp,
  updated_at: Timestamp,
  state_updated_at: Timestamp,
  metadata: JsonObject,
  status: ThreadStatus,
  config: JsonObject,
  values: Type.Union([JsonObject, Type.Null()]),
  /** Open interrupts by task id. */
  interrupts: Type.Record(
    Type.String(),
    Type.Array(Type.Object({ id: Type.Optional(Type.String()), value: Type.Unknown() })),
  ),
  error: Type.Union([Type.Object({ error: Type.String(), message: Type.String() }), Type.Null()]),
  /** Included only on request; null if the thread has none. */
  ttl: Type.Optional(Type.Union([Ttl, Type.Null()])),
  /** Only in searches with `extract`. */
  extracted: Type.Optional(JsonObject),
});
export type Thread = Static<typeof Thread>;

export const THREAD_FIELDS = [
  'thread_id',
  'created_at',
  'updated_at',
  'state_updated_at',
  'metadata',
  'status',
  'config',
  'values',
  'interrupts',
  'error',
] as const;

// A hundred years: ample for any thread, and within the range of Postgres timestamps.
const Minutes = Type.Number({ exclusiveMinimum: 0, maximum: 52_560_000 });

/** A bare number of minutes means delete. */
export const TtlRequest = Type.Union([
  Minutes,
  Type.Object({ ttl: Minutes, strategy: Type.Optional(TtlStrategy) }),
]);
export type TtlRequest = Static<typeof TtlRequest>;

const Superstep = Type.Object({
  updates: Type.Array(
    Type.Object({
      values: Type.Optional(Type.Unknown()),
      command: Type.Optional(Command),
      as_node: Type.String(),
    }),
  ),
});
export type Superstep = Static<typeof Superstep>;

export const ThreadCreate = Type.Object({
  thread_id: Type.Optional(Uuid),
  metadata: Type.Optional(JsonObject),
  if_exists: StringEnum(['raise', 'do_nothing'], { default: 'raise' }),
  ttl: Type.Optional(TtlRequest),
  /** State updates to start the thread with, in order. */
  supersteps: Type.Optional(Type.Array(Superstep)),
});
export type ThreadCreate = Static<typeof ThreadCreate>;

/** Merges `metadata` into the thread's, key by key. */
export const ThreadPatch = Type.Object({
  metadata: Type.Optional(JsonObject),
  ttl: Type.Optional(TtlRequest),
});

const Moment = Type.Optional(Timestamp);
/** Time range of the thread's last state change. */
const Between = Type.Object(
  { $gt: Moment, $gte: Moment, $lt: Moment, $lte: Moment },
  { additionalProperties: false, minProperties: 1 },
);

const FILTER = {
  metadata: Type.Optional(JsonObject),
  values: Type.Optional(JsonObject),
  status: Type.Optional(ThreadStatus),
  state_updated_at: Type.Optional(Between),
};

export const ThreadCount = Type.Object(FILTER);
export type ThreadCount = Static<typeof ThreadCount>;

export const ThreadSearch = Type.Object({
  ...FILTER,
  ...PAGE,
  ids: Type.Optional(Type.Array(Uuid)),
  sort_by: StringEnum(['thread_id', 'status', 'created_at', 'updated_at', 'state_updated_at'], {
    default: 'updated_at',
  }),
  sort_order: SortOrder,
  // Clients also treat `context` as a field: the configuration's values for the graph.
  select: Type.Optional(Type.Array(StringEnum([...THREAD_FIELDS, 'context']))),
  extract: Type.Optional(
    Type.Record(Type.String(), Type.String({ maxLength: 1_000 }), { maxProperties: 10 }),
  ),
});
export type ThreadSearch = Static<typeof ThreadSearch>;
