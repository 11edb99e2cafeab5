import type { Context } from 'koa';
import { defineError } from '../../platform/errors.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { maskAttached } from '../masking/mask-said.ts';
import { attachmentStatements } from '../bodies/attachments.ts';
import { callerOf } from '../caller.ts';
import type { ByteBudget } from '../ingest/byte-budget.ts';
import type { IngestQueue } from '../ingest/ingest-queue.ts';
import { requestBytes } from '../ingest/request-bytes.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import { jsonResponse, type PartialSuccess, protobufResponse } from './export-response.ts';
import { readJson } from './read-json.ts';
import { readProtobuf } from './read-protobuf.ts';
import { readTraces, type TraceBatch } from './read-traces.ts';

const PROTOBUF = 'application/x-protobuf';
const MOST_REASONS = 5;

const UnknownType = defineError(
  'UnknownType',
  415,
  () => `Content-Type must be ${PROTOBUF} or application/json`,
);

/** OTLP over HTTP (contract §1.9). An answer of 200 means that all spans but the refused ones are stored. */
export const otelRoutes = (
  { config, box, masks }: TracingDeps,
  queue: IngestQueue,
  budget: ByteBudget,
): Route[] => [
  defineRoute({
    method: 'post',
    path: '/otel/v1/traces',
    operationId: 'exportTraces',
    tags: ['Runs'],
    summary: 'Log runs as spans of OpenTelemetry',
    responses: {
      200: { description: 'ExportTraceServiceResponse', content: [PROTOBUF, 'application/json'] },
      400: { description: 'Nothing that can be read' },
      413: { description: 'Too large' },
      415: { description: 'Neither protobuf nor JSON' },
    },
    handle: async ({ ctx }) => {
      const { tenant_id } = callerOf(ctx);
      const isProtobuf = typeOf(ctx) === PROTOBUF;
      const batch = await budget.hold(async (take) => {
        const bytes = await requestBytes(ctx.req, config.SLIPWAY_TRACE_BODY_BYTES, take);
        const groups = (isProtobuf ? readProtobuf : readJson)(bytes, config.SLIPWAY_TRACE_OTLP_SPANS);
        const traces = readTraces(groups, ctx.get('langsmith-project') || undefined);
        const rules = await masks.of(tenant_id);
        const attachments = traces.attachments.map((one) => maskAttached(one, rules));
        await queue.add(tenant_id, traces.operations, attachmentStatements(box, tenant_id, attachments));
        return traces;
      });
      ctx.status = 200;
      ctx.type = isProtobuf ? PROTOBUF : 'application/json';
      ctx.body = isProtobuf
        ? protobufResponse(successOf(batch))
        : JSON.stringify(jsonResponse(successOf(batch)));
    },
  }),
];

function typeOf(ctx: Context): string {
  const type = ctx.get('content-type').split(';', 1)[0]!.trim().toLowerCase();
  if (type === PROTOBUF || type === 'application/protobuf') return PROTOBUF;
  if (type === 'application/json') return type;
  throw new UnknownType();
}

function successOf({ refusals }: TraceBatch): PartialSuccess {
  const reasons = [...new Set(refusals.map(({ detail }) => detail))];
  return { rejected: refusals.length, message: reasons.slice(0, MOST_REASONS).join('; ') };
}
