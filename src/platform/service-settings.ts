import { type TProperties, Type } from 'typebox';
import { StringEnum } from './schema.ts';

export const text = (description: string, options: object = {}) =>
  Type.Optional(Type.String({ description, ...options }));
export const count = (description: string, byDefault: number, options: object = {}) =>
  Type.Integer({ description, default: byDefault, minimum: 1, ...options });
export const seconds = (
  description: string,
  byDefault: number,
  options: { minimum?: number; maximum?: number } = {},
) =>
  Type.Number({
    description: `${description}, in seconds`,
    default: byDefault,
    ...(options.minimum === undefined && { exclusiveMinimum: 0 }),
    ...options,
  });
export const port = (byDefault: number) =>
  Type.Integer({
    default: byDefault,
    minimum: 0,
    maximum: 65_535,
    description: 'port to listen on; 0 picks a free one',
  });

/** Settings every service has; each adds its own. Read from the environment, listed in the README. */
export const serviceSettings = {
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
  SLIPWAY_DATA_DIR: Type.String({ default: '.slipway', description: 'folder of the embedded services' }),
  SLIPWAY_LOG_LEVEL: StringEnum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
    default: 'info',
    description: 'least severe log lines to print',
  }),
  SLIPWAY_DATABASE_POOL: count('most database connections of a process', 20),
  SLIPWAY_STATEMENT_TIMEOUT_SECONDS: seconds('longest a database statement may take', 900),
  SLIPWAY_GRACE_SECONDS: seconds('how long running runs may go on when the server stops', 180, {
    minimum: 0,
  }),
  SLIPWAY_SWEEP_SECONDS: seconds(
    'time between two sweeps for lost runs and what ended runs leave behind',
    15,
    { minimum: 1 },
  ),
  SLIPWAY_TEMPORAL_DEADLINE_SECONDS: seconds('longest an answer of Temporal is waited for', 30),
  SLIPWAY_HTTP_KEEP_ALIVE_SECONDS: seconds('how long an idle connection stays open', 75),
  SLIPWAY_BODY_LIMIT_BYTES: count('largest request body', 300 * 1024 * 1024),
} satisfies TProperties;
