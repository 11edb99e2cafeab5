import { Type } from 'typebox';
import { defineRoute, type Route } from '../platform/http/route.ts';
import type { TracingSettings } from './tracing-settings.ts';

// Clients fall back to older protocols below this version (contract §1.2).
const VERSION = '0.16.20';

/**
 * Capabilities, readable without a key (contract §1.2). All of `batch_ingest_config` is required: clients that miss a
 * field silently stop logging.
 */
export const infoRoute = (config: TracingSettings): Route =>
  defineRoute({
    method: 'get',
    path: '/info',
    operationId: 'getInfo',
    tags: ['System'],
    summary: 'Read the capabilities of the server',
    responses: { 200: Type.Object({ version: Type.String() }) },
    handle: () => ({
      version: VERSION,
      license_expiration_time: null,
      batch_ingest_config: {
        use_multipart_endpoint: true,
        size_limit: config.SLIPWAY_TRACE_BATCH_RUNS,
        size_limit_bytes: config.SLIPWAY_TRACE_BATCH_BYTES,
        scale_up_qsize_trigger: 1000,
        scale_up_nthreads_limit: 16,
        scale_down_nempty_trigger: 4,
      },
      instance_flags: {
        gzip_body_enabled: true,
        zstd_compression_enabled: true,
        dataset_examples_multipart_enabled: true,
        examples_multipart_enabled: true,
        ch_query_enabled: true,
        sdb_query_enabled: false,
      },
    }),
  });
