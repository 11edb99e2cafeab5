import type { Context } from 'koa';
import { defineError } from '../../platform/errors.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { maskAttachment } from '../masking/mask-fields.ts';
import { attachmentStatements } from '../bodies/attachments.ts';
import { callerOf } from '../caller.ts';
import type { ByteBudget } from '../request/byte-budget.ts';
import type { IngestQueue } from '../ingest/ingest-queue.ts';
import { requestBytes } from '../request/request-bytes.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import { demoteOuterCalls } from '../ingest/demote-outer-calls.ts';
import { jsonResponse, type PartialSuccess, protobufResponse } from './export-response.ts';
import { LogLock } from './log-lock.ts';
import { readLogRuns } from './log-runs.ts';
import { readJson } from './read-json.ts';
import { readLogsJson, readLogsProtobuf } from './read-logs.ts';
import { readProtobuf } from './read-protobuf.ts';
import { readTraces, type TraceBatch } from './read-traces.ts';

const PROTOBUF = 'application/x-protobuf';
const MAX_REASONS = 5;

const UnknownType = defineError(
  'UnknownType',
  415,
  () => `Content-Type must be ${PROTOBUF} or application/json`,
);

const route = {
  method: 'post',
  tags: ['Runs'],
  responses: {
    200: { description: 'Export response', content: [PROTOBUF, 'application/json'] },
    400: { description: 'Unreadable request' },
    413: { description: 'Too large' },
    415: { description: 'Neither protobuf nor JSON' },
  },
} as const;

/** OTLP over HTTP (contract §1.9). 200 means that all spans except rejected ones are stored. */
export const otelRoutes = (
  { config, box, db, masks }: TracingDeps,
  queue: IngestQueue,
  budget: ByteBudget,
  logLock = new LogLock(db),
): Route[] => [
  defineRoute({
    ...route,
    path: '/otel/v1/traces',
    operationId: 'exportTraces',
    summary: 'Log runs as OpenTelemetry spans',
    handle: async ({ ctx }) => {
      const { tenant_id } = callerOf(ctx);
      const isProtobuf = typeOf(ctx) === PROTOBUF;
      const batch = await budget.hold(async (take) => {
        const bytes = await requestBytes(ctx.req, config.SLIPWAY_TRACE_BODY_BYTES, take);
        const groups = (isProtobuf ? readProtobuf : readJson)(bytes, config.SLIPWAY_TRACE_OTLP_SPANS);
        const traces = readTraces(groups, ctx.get('langsmith-project') || undefined);
        const rules = await masks.of(tenant_id);
        const attachments = traces.attachments.map((one) => maskAttachment(one, rules));
        const traceIds = new Set(traces.operations.flatMap(({ position }) => position.trace_id ?? []));
        await queue.add(tenant_id, traces.operations, [
          ...attachmentStatements(box, tenant_id, attachments),
          ...demoteOuterCalls(tenant_id, [...traceIds]),
        ]);
        return traces;
      });
      answer(ctx, isProtobuf, successOf(batch), 'rejectedSpans');
    },
  }),
  defineRoute({
    ...route,
    path: '/otel/v1/logs',
    operationId: 'exportLogs',
    summary: 'Log inputs and outputs of model calls as GenAI events of their spans; refuses other records',
    handle: async ({ ctx }) => {
      const { tenant_id } = callerOf(ctx);
      const isProtobuf = typeOf(ctx) === PROTOBUF;
      const batch = await budget.hold(async (take) => {
        const bytes = await requestBytes(ctx.req, config.SLIPWAY_TRACE_BODY_BYTES, take);
        const records = (isProtobuf ? readLogsProtobuf : readLogsJson)(
          bytes,
          config.SLIPWAY_TRACE_OTLP_SPANS,
        );
        return logLock.hold(tenant_id, async () => {
          const logs = await readLogRuns(db, tenant_id, records);
          await queue.add(tenant_id, logs.operations);
          return logs;
        });
      });
      answer(ctx, isProtobuf, successOf(batch), 'rejectedLogRecords');
    },
  }),
  defineRoute({
    ...route,
    path: '/otel/v1/metrics',
    operationId: 'exportMetrics',
    summary: 'Accept and discard metrics, so that exporters of all signals work',
    handle: async ({ ctx }) => {
      const isProtobuf = typeOf(ctx) === PROTOBUF;
      await budget.hold((take) => requestBytes(ctx.req, config.SLIPWAY_TRACE_BODY_BYTES, take));
      answer(ctx, isProtobuf, { rejected: 0, message: '' }, 'rejectedSpans');
    },
  }),
];

function answer(
  ctx: Context,
  isProtobuf: boolean,
  success: PartialSuccess,
  counter: Parameters<typeof jsonResponse>[1],
): void {
  ctx.status = 200;
  ctx.type = isProtobuf ? PROTOBUF : 'application/json';
  ctx.body = isProtobuf ? protobufResponse(success) : JSON.stringify(jsonResponse(success, counter));
}

function typeOf(ctx: Context): string {
  const type = ctx.get('content-type').split(';', 1)[0]!.trim().toLowerCase();
  if (type === PROTOBUF || type === 'application/protobuf') return PROTOBUF;
  if (type === 'application/json') return type;
  throw new UnknownType();
}

function successOf({ refusals }: TraceBatch): PartialSuccess {
  const reasons = [...new Set(refusals.map(({ detail }) => detail))];
  return { rejected: refusals.length, message: reasons.slice(0, MAX_REASONS).join('; ') };
}
