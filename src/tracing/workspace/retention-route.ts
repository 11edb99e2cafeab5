import { Type } from 'typebox';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail } from '../../platform/schema.ts';
import type { TracingSettings } from '../tracing-settings.ts';
import { SHORT_DAYS } from '../retention/project-retention.ts';

const Retention = Type.Object({
  /** Default for projects without their own. */
  days: Type.Integer(),
  /** For projects of the tier `shortlived`. */
  shortlived_days: Type.Integer(),
  /** For the tier `longlived` and for traces with feedback. */
  longlived_days: Type.Integer(),
});

/** Default retention, readable by clients. An extension of the contract. */
export const retentionRoute = (config: TracingSettings): Route =>
  defineRoute({
    method: 'get',
    path: '/platform/retention',
    operationId: 'getRetention',
    tags: ['System'],
    summary: 'Read the default retention of runs',
    responses: { 200: Retention, 401: Detail },
    handle: () => ({
      days: config.SLIPWAY_TRACE_RETENTION_DAYS,
      shortlived_days: SHORT_DAYS,
      longlived_days: config.SLIPWAY_TRACE_LONG_DAYS,
    }),
  });
