import { type Static, Type } from 'typebox';
import { StringEnum } from '../platform/schema.ts';

const text = (description: string, options: object = {}) =>
  Type.Optional(Type.String({ description, ...options }));
const count = (description: string, byDefault: number, options: object = {}) =>
  Type.Integer({ description, default: byDefault, minimum: 1, ...options });
const seconds = (description: string, byDefault: number, options: object = {}) =>
  Type.Number({
    description: `${description}, in seconds`,
    default: byDefault,
    exclusiveMinimum: 0,
    ...options,
  });

/** Every setting of an agent server; read from the environment, listed in the README. */
export const AgentSettings = Type.Object({
  DATABASE_URL: text('address of a Postgres database; none starts an embedded one', {
    pattern: '^postgres(ql)?://',
  }),
  TEMPORAL_ADDRESS: text('host:port of a Temporal server; none starts an embedded one', {
    pattern: '^[^/\\s]+:\\d+$',
  }),
  TEMPORAL_NAMESPACE: Type.String({ default: 'default', description: 'Temporal namespace' }),
  TEMPORAL_API_KEY: text('API key of a Temporal Cloud namespace'),
  TEMPORAL_TLS: Type.Boolean({ default: false, description: 'connect to Temporal with TLS' }),
  HOST: Type.String({ default: '127.0.0.1', description: 'address to listen on' }),
  PORT: Type.Integer({
    default: 2024,
    minimum: 0,
    maximum: 65_535,
    description: 'port to listen on; 0 picks a free one',
  }),
  SLIPWAY_DATA_DIR: Type.String({ default: '.slipway', description: 'folder of the embedded services' }),
  SLIPWAY_DEPLOYMENT: Type.String({
    default: 'local',
    pattern: '^[A-Za-z0-9_.-]{1,100}$',
    description: 'name of the deployment; part of workflow ids and of the default task queue',
  }),
  SLIPWAY_TASK_QUEUE: text(
    'task queue of the workers that execute graphs; by default made of the deployment',
  ),
  SLIPWAY_LOG_LEVEL: StringEnum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
    default: 'info',
    description: 'least severe log lines to print',
  }),
  SLIPWAY_CONCURRENCY: count('runs a worker executes at once', 100),
  SLIPWAY_CACHED_WORKFLOWS: count('thread workflows a worker keeps in memory', 500, { minimum: 2 }),
  SLIPWAY_DATABASE_POOL: count('most database connections of a process', 20),
  SLIPWAY_STATEMENT_TIMEOUT_SECONDS: seconds('longest a database statement may take', 900),
  SLIPWAY_RUN_TIMEOUT_SECONDS: seconds('longest a run may take', 86_400, { maximum: 2_000_000 }),
  SLIPWAY_RUN_ATTEMPTS: count('attempts at a run before it is an error', 3),
  SLIPWAY_HEARTBEAT_TIMEOUT_SECONDS: seconds('silence of a worker before its runs go on elsewhere', 3),
  SLIPWAY_THREAD_LINGER_SECONDS: seconds('how long the workflow of an idle thread stays open', 3),
  SLIPWAY_LEAVE_SECONDS: seconds('how long a stopped run waits for a node that looks at no signal', 60),
  SLIPWAY_GRACE_SECONDS: seconds('how long running runs may go on when the server stops', 180, {
    minimum: 0,
  }),
  SLIPWAY_EVENT_RETENTION_SECONDS: seconds('how long the events of an ended run can be streamed again', 120),
  SLIPWAY_SWEEP_SECONDS: seconds('time between two sweeps for lost runs and expired rows', 15, {
    minimum: 1,
  }),
  SLIPWAY_KEEP_ALIVE_SECONDS: seconds('time between heartbeats of a stream or of a waiting answer', 5),
  SLIPWAY_HTTP_KEEP_ALIVE_SECONDS: seconds('how long an idle connection stays open', 75),
  SLIPWAY_BODY_LIMIT_BYTES: count('largest request body', 300 * 1024 * 1024),
  SLIPWAY_EVENT_LIMIT_BYTES: count('largest event of a stream; larger ones are dropped', 128 * 1024 * 1024),
  SLIPWAY_READER_LIMIT_BYTES: count(
    'most a slow reader of a stream may fall behind before it is cut off',
    16 * 1024 * 1024,
  ),
});
export type AgentSettings = Static<typeof AgentSettings>;
