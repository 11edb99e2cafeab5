import { type Static, Type } from 'typebox';
import { count } from '../platform/service-settings.ts';

const MB = 1024 * 1024;

/** Every setting of tracing beyond those all services share; listed in the README. */
export const TracingSettings = Type.Object({
  SLIPWAY_TRACE_BATCH_RUNS: count('most runs of a batch, as clients are told', 100),
  SLIPWAY_TRACE_BATCH_BYTES: count('most bytes of a batch before compression, as clients are told', 20 * MB),
  SLIPWAY_TRACE_BODY_BYTES: count('largest batch that is read, in bytes before compression', 32 * MB),
  SLIPWAY_TRACE_QUEUE_BYTES: count(
    'most bytes of batches that wait to be written by a process; more are told to come again',
    256 * MB,
  ),
});
export type TracingSettings = Static<typeof TracingSettings>;
