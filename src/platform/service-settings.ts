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
    description: 'Port to listen on; 0 picks a free port',
  });

/** Settings shared by all services, read from the environment and listed in docs/settings.md. */
export const serviceSettings = {
  DATABASE_URL: text('Postgres URL; if unset, starts an embedded Postgres', {
    pattern: '^postgres(ql)?://',
  }),
  TEMPORAL_ADDRESS: text('host:port of a Temporal server; if unset, starts an embedded one', {
    pattern: '^[^/\\s]+:\\d+$',
  }),
  TEMPORAL_NAMESPACE: Type.String({ default: 'default', description: 'Temporal namespace' }),
  TEMPORAL_API_KEY: text('API key for Temporal Cloud'),
  TEMPORAL_TLS: Type.Boolean({ default: false, description: 'Connect to Temporal with TLS' }),
  HOST: Type.String({ default: '127.0.0.1', description: 'Address to listen on' }),
  SLIPWAY_DATA_DIR: Type.String({
    default: '.slipway',
    description: 'Data directory of the embedded services',
  }),
  SLIPWAY_LOG_LEVEL: StringEnum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
    default: 'info',
    description: 'Minimum log level',
  }),
  SLIPWAY_DATABASE_POOL: count('Maximum database connections per process', 20),
  SLIPWAY_STATEMENT_TIMEOUT_SECONDS: seconds('Database statement timeout', 900),
  SLIPWAY_GRACE_SECONDS: seconds('Time for active runs to finish on shutdown', 180, {
    minimum: 0,
  }),
  SLIPWAY_SWEEP_SECONDS: seconds('Interval between cleanups of lost and finished runs', 15, { minimum: 1 }),
  SLIPWAY_TEMPORAL_DEADLINE_SECONDS: seconds('Timeout of calls to Temporal', 30),
  SLIPWAY_HTTP_KEEP_ALIVE_SECONDS: seconds('Keep-alive timeout of idle HTTP connections', 75),
  SLIPWAY_BODY_LIMIT_BYTES: count('Maximum request body size', 300 * 1024 * 1024),
} satisfies TProperties;
