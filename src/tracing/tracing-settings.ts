import { type Static, Type } from 'typebox';
import { StringEnum } from '../platform/schema.ts';
import { count, text } from '../platform/service-settings.ts';

const MB = 1024 * 1024;

/** Every setting of tracing beyond those all services share; listed in the README. */
export const TracingSettings = Type.Object({
  SLIPWAY_TRACE_BATCH_RUNS: count('most runs of a batch, as clients are told', 100),
  SLIPWAY_TRACE_BATCH_BYTES: count('most bytes of a batch before compression, as clients are told', 20 * MB),
  SLIPWAY_TRACE_BODY_BYTES: count('largest batch that is read, in bytes before compression', 32 * MB),
  SLIPWAY_TRACE_OTLP_SPANS: count('most spans of a request of OpenTelemetry', 20_000),
  SLIPWAY_TRACE_ORPHAN_SECONDS: count(
    'seconds after which a run whose parent has not come is listed as a root',
    120,
  ),
  SLIPWAY_TRACE_QUEUE_BYTES: count(
    'most bytes of batches that a process reads and writes at once; more are told to come again',
    256 * MB,
  ),
  SLIPWAY_RATE_LIMITS: StringEnum(['generous', 'hosted', 'off'], {
    default: 'generous',
    description:
      'how often tracing may be asked: as the hosted platform allows, a thousand times that, or ever',
  }),
  SLIPWAY_REGION: StringEnum(['us', 'eu'], {
    default: 'us',
    description: 'region whose limits are meant, where they differ',
  }),
  SLIPWAY_RATE_LIMIT_OVERRIDES: text(
    'limits of your own by row, as JSON such as {"query-key": "50/10"}; see docs/tracing-limits.md',
  ),
  SLIPWAY_RATE_LIMIT_PROCESSES: count(
    'processes that serve the API: of a limit that each counts for itself, each has its part',
    1,
  ),
  SLIPWAY_TRUSTED_PROXIES: text(
    'addresses and networks whose X-Forwarded-For is believed, separated by commas, such as 10.0.0.0/8',
  ),
  SLIPWAY_TRACE_RETENTION_DAYS: count('days that runs are kept, where their project says nothing', 400, {
    maximum: 36_500,
  }),
  SLIPWAY_TRACE_LONG_DAYS: count(
    'days that traces are kept of which something was said, and those of projects of the long tier',
    400,
    { maximum: 36_500 },
  ),
  SLIPWAY_MODEL_PRICES: count('most prices of models a tenant may have of its own', 1_000),
  SLIPWAY_USAGE_SWEEP_SECONDS: count(
    'seconds between turns of telling what model calls used that did not say it',
    15,
  ),
  SLIPWAY_TRACE_MASKS: text(
    'what is masked in runs before they are stored, as a JSON list of {"pattern", "replacement"}; see docs/tracing-limits.md',
  ),
  SLIPWAY_TRACE_LINK_SECONDS: count('how long a link to an attachment may be followed, in seconds', 3_600),
  SLIPWAY_TRACE_FOLD_SECONDS: count(
    'seconds between two counts of the minutes in which runs were written',
    30,
  ),
  SLIPWAY_TRACE_QUERY_SECONDS: count('longest a query over traced runs may take, in seconds', 30),
  SLIPWAY_TRACE_SEARCH_RUNS: count(
    'most runs whose inputs and outputs one request searches; the next page goes on from there',
    20_000,
  ),
  SLIPWAY_TRACE_OPEN_RUNS: count('most runs of a trace that are read at once', 10_000),
  SLIPWAY_TRACE_PAGE_BYTES: count('most bytes of inputs and outputs on one page of runs', 64 * MB),
});
export type TracingSettings = Static<typeof TracingSettings>;
