import { type Static, Type } from 'typebox';
import { Clearable, JsonObject, OneOrMany, StringEnum, Timestamp, Uuid } from '../../platform/schema.ts';

export const RUN_STATUSES = ['pending', 'running', 'success', 'error', 'timeout', 'interrupted'] as const;
export const RunStatus = StringEnum(RUN_STATUSES);
export type RunStatus = Static<typeof RunStatus>;

export const MultitaskStrategy = StringEnum(['reject', 'interrupt', 'rollback', 'enqueue'], {
  default: 'enqueue',
});
export const CancelAction = StringEnum(['interrupt', 'rollback']);
export type CancelAction = Static<typeof CancelAction>;

export const STREAM_MODES = [
  'values',
  'updates',
  'messages',
  'messages-tuple',
  'events',
  'custom',
  'tasks',
  'checkpoints',
  'debug',
] as const;
export type StreamMode = (typeof STREAM_MODES)[number];
export const StreamModes = OneOrMany(StringEnum(STREAM_MODES));
/** Stream modes of a run; only the event protocol requests `tools`. */
export type RunMode = StreamMode | 'tools';

const Goto = Type.Union([
  Type.String(),
  Type.Object({ node: Type.String(), input: Type.Optional(Type.Unknown()) }),
]);

export const Command = Type.Object({
  update: Type.Optional(
    Type.Union([JsonObject, Type.Array(Type.Tuple([Type.String(), Type.Unknown()])), Type.Null()]),
  ),
  resume: Type.Optional(Type.Unknown()),
  goto: Type.Optional(OneOrMany(Goto)),
});
export type Command = Static<typeof Command>;

export const RunnableConfig = Type.Object({
  tags: Type.Optional(Type.Array(Type.String())),
  recursion_limit: Type.Optional(Type.Integer({ minimum: 1 })),
  configurable: Type.Optional(JsonObject),
  metadata: Type.Optional(JsonObject),
});
export type RunnableConfig = Static<typeof RunnableConfig>;

const Checkpoint = Type.Object({
  thread_id: Type.Optional(Type.String()),
  checkpoint_id: Type.Optional(Uuid),
  checkpoint_ns: Type.Optional(Type.String()),
  checkpoint_map: Clearable(JsonObject),
});

const Breakpoints = Type.Union([Type.Literal('*'), Type.Array(Type.String())]);

/** Body of create, stream, wait and batch (contract §5.2). Unknown fields are ignored. */
export const RunCreate = Type.Object({
  assistant_id: Type.String({ minLength: 1 }),
  input: Type.Optional(Type.Unknown()),
  command: Type.Optional(Command),
  metadata: Type.Optional(JsonObject),
  config: Type.Optional(RunnableConfig),
  context: Type.Optional(JsonObject),
  webhook: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 65_536,
      description:
        "URL, or path of the project's own HTTP app, that is sent the run by POST when it has ended",
    }),
  ),
  interrupt_before: Type.Optional(Breakpoints),
  interrupt_after: Type.Optional(Breakpoints),
  stream_mode: Type.Optional(StreamModes),
  stream_subgraphs: Type.Optional(Type.Boolean()),
  stream_resumable: Type.Optional(Type.Boolean()),
  feedback_keys: Type.Optional(Type.Array(Type.String())),
  multitask_strategy: MultitaskStrategy,
  if_not_exists: Type.Optional(StringEnum(['reject', 'create'])),
  on_not_exist: Type.Optional(StringEnum(['reject', 'create'])),
  after_seconds: Type.Optional(Type.Number({ minimum: 0, maximum: 315_360_000 })),
  durability: Type.Optional(StringEnum(['sync', 'async', 'exit'])),
  checkpoint_during: Type.Optional(Type.Boolean()),
  checkpoint: Type.Optional(Checkpoint),
  checkpoint_id: Type.Optional(Uuid),
  // The JavaScript SDK sends the last two in place of the first two.
  on_completion: Type.Optional(StringEnum(['delete', 'keep', 'complete', 'continue'])),
  on_disconnect: Type.Optional(StringEnum(['cancel', 'continue'])),
  langsmith_tracer: Type.Optional(
    Type.Object({ project_name: Type.Optional(Type.String()), example_id: Type.Optional(Type.String()) }),
  ),
});
export type RunCreate = Omit<Static<typeof RunCreate>, 'stream_mode'> & { stream_mode?: RunMode | RunMode[] };

/** Everything a worker needs to execute the run; the record's `kwargs` (contract §5.1). */
export interface RunKwargs {
  input: unknown;
  command: Command | null;
  config: RunnableConfig & { configurable: Record<string, unknown> };
  context: Record<string, unknown>;
  stream_mode: RunMode[];
  interrupt_before: '*' | string[] | null;
  interrupt_after: '*' | string[] | null;
  webhook: string | null;
  feedback_keys: string[] | null;
  temporary: boolean;
  subgraphs: boolean;
  resumable: boolean;
  checkpoint_during: boolean;
  durability: 'sync' | 'async' | 'exit';
}

export const Run = Type.Object({
  run_id: Uuid,
  thread_id: Uuid,
  assistant_id: Uuid,
  metadata: JsonObject,
  status: RunStatus,
  kwargs: JsonObject,
  multitask_strategy: Type.String(),
  created_at: Timestamp,
  updated_at: Timestamp,
  langsmith_session_name: Type.Union([Type.String(), Type.Null()]),
});
/** A run, both on the wire and as a row. */
export type Run = Omit<Static<typeof Run>, 'kwargs'> & { kwargs: RunKwargs };

export const RUN_FIELDS = [
  'run_id',
  'thread_id',
  'assistant_id',
  'created_at',
  'updated_at',
  'status',
  'metadata',
  'kwargs',
  'multitask_strategy',
  'langsmith_session_name',
] as const;

export const TERMINAL: ReadonlySet<string> = new Set(['success', 'error', 'timeout', 'interrupted']);
