import { type Static, Type } from 'typebox';
import { StringEnum } from '../platform/schema.ts';
import { count, text } from '../platform/service-settings.ts';

const MB = 1024 * 1024;

/** Tracing settings beyond those shared by all services; listed in docs/settings.md. */
export const TracingSettings = Type.Object({
  SLIPWAY_TRACE_BATCH_RUNS: count('Maximum runs per batch, announced to clients', 100),
  SLIPWAY_TRACE_BATCH_BYTES: count('Maximum uncompressed bytes per batch, announced to clients', 20 * MB),
  SLIPWAY_TRACE_BODY_BYTES: count('Maximum uncompressed bytes of a batch before it is rejected', 32 * MB),
  SLIPWAY_TRACE_OTLP_SPANS: count('Maximum spans per OpenTelemetry request', 20_000),
  SLIPWAY_TRACE_ORPHAN_SECONDS: count('Seconds until a run with a missing parent is listed as a root', 120),
  SLIPWAY_TRACE_QUEUE_BYTES: count(
    'Bytes of ingest requests that a process handles at once; further requests get a retryable error',
    256 * MB,
  ),
  SLIPWAY_RATE_LIMITS: StringEnum(['generous', 'hosted', 'off'], {
    default: 'generous',
    description: 'Rate limits: `hosted` as on the hosted platform, `generous` (1000×) or `off`',
  }),
  SLIPWAY_REGION: StringEnum(['us', 'eu'], {
    default: 'us',
    description: 'Region whose hosted rate limits apply',
  }),
  SLIPWAY_RATE_LIMIT_OVERRIDES: text(
    'Custom rate limits by row, as JSON such as {"query-key": "50/10"}; see docs/tracing-limits.md',
  ),
  SLIPWAY_RATE_LIMIT_PROCESSES: count(
    'Number of API processes, among which limits counted per process are divided',
    1,
  ),
  SLIPWAY_TRUSTED_PROXIES: text(
    'Comma-separated addresses and networks whose X-Forwarded-For is trusted, such as 10.0.0.0/8',
  ),
  SLIPWAY_TRACE_RETENTION_DAYS: count('Default retention of runs, in days', 400, {
    maximum: 36_500,
  }),
  SLIPWAY_TRACE_LONG_DAYS: count(
    'Retention of traces with feedback and of projects in the long tier, in days',
    400,
    { maximum: 36_500 },
  ),
  SLIPWAY_MODEL_PRICES: count('Maximum custom model prices per tenant', 1_000),
  SLIPWAY_USAGE_SWEEP_SECONDS: count(
    'Seconds between estimations of usage that model calls did not report',
    15,
  ),
  SLIPWAY_TRACE_MASKS: text(
    'Masking rules applied to runs before storage, as a JSON list of {"pattern", "replacement"}; see docs/tracing-limits.md',
  ),
  SLIPWAY_TRACE_LINK_SECONDS: count('Lifetime of attachment links, in seconds', 3_600),
  SLIPWAY_TRACE_FOLD_SECONDS: count('Seconds between updates of the precomputed statistics', 30),
  SLIPWAY_TRACE_QUERY_SECONDS: count('Timeout of queries over traced runs, in seconds', 30),
  SLIPWAY_TRACE_SEARCH_RUNS: count(
    'Maximum runs whose inputs and outputs one request searches; the next page continues there',
    20_000,
  ),
  SLIPWAY_TRACE_OPEN_RUNS: count('Maximum runs of a trace that are read at once', 10_000),
  SLIPWAY_TRACE_PAGE_BYTES: count('Maximum bytes of inputs and outputs per page of runs', 64 * MB),
});
export type TracingSettings = Static<typeof TracingSettings>;
