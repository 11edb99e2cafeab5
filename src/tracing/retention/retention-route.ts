import { Type } from 'typebox';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail } from '../../platform/schema.ts';
import type { TracingSettings } from '../tracing-settings.ts';
import { SHORT_DAYS } from './kept-projects.ts';

const Retention = Type.Object({
  /** Days that runs are kept where their project says nothing. */
  days: Type.Integer(),
  /** Those of a project of the tier `shortlived`. */
  shortlived_days: Type.Integer(),
  /** Those of the tier `longlived`, and of traces of which something was said. */
  longlived_days: Type.Integer(),
});

/** What holds for projects that have not chosen how long their runs are kept; ours alone. */
export const retentionRoute = (config: TracingSettings): Route =>
  defineRoute({
    method: 'get',
    path: '/platform/retention',
    operationId: 'getRetention',
    tags: ['System'],
    summary: 'How long runs are kept where their project says nothing',
    responses: { 200: Retention, 401: Detail },
    handle: () => ({
      days: config.SLIPWAY_TRACE_RETENTION_DAYS,
      shortlived_days: SHORT_DAYS,
      longlived_days: config.SLIPWAY_TRACE_LONG_DAYS,
    }),
  });
