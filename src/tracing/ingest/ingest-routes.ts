import { Type } from 'typebox';
import type { Context } from 'koa';
import { InvalidJson } from '../../platform/errors.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Uuid } from '../../platform/schema.ts';
import { attachmentStatements } from '../bodies/attachments.ts';
import { callerOf } from '../caller.ts';
import { InvalidBatch } from '../errors.ts';
import { TEXT_FIELDS } from '../feedback/feedback.ts';
import { feedbackStatements } from '../feedback/feedback-repository.ts';
import { maskAttachment, maskFields } from '../masking/mask-fields.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import type { ByteBudget } from '../request/byte-budget.ts';
import type { IngestQueue } from './ingest-queue.ts';
import { memoryOf, type Parsed, parseLoose } from '../json/loose-json.ts';
import { boundaryOf, splitMultipart } from '../request/multipart.ts';
import { type Batch, readBatch, readOne, type Refusal } from './read-batch.ts';
import { readMultipart } from './read-multipart.ts';
import { requestBytes } from '../request/request-bytes.ts';

const Accepted = Type.Object({ message: Type.String() });
const Refused = Type.Object({
  detail: Type.String(),
  errors: Type.Optional(
    Type.Array(Type.Object({ run_id: Type.Union([Type.String(), Type.Null()]), detail: Type.String() })),
  ),
});
const MAX_DETAILS = 20;

const accepting = {
  tags: ['Runs'],
  responses: {
    202: Accepted,
    413: { description: 'Too large' },
    422: Refused,
  },
} as const;

/** All routes for logging runs (contract §1.3, §1.8). 202 means stored. */
export function ingestRoutes(deps: TracingDeps, queue: IngestQueue, budget: ByteBudget): Route[] {
  const { config } = deps;

  const store = <T>(ctx: Context, work: (bytes: Buffer, take: (bytes: number) => void) => Promise<T>) =>
    budget.hold(async (take) =>
      work(await requestBytes(ctx.req, config.SLIPWAY_TRACE_BODY_BYTES, take), take),
    );
  const storeJson = (ctx: Context, read: (parsed: Parsed) => Batch) =>
    store(ctx, async (bytes, take) => {
      const parsed = parseLoose(bytes);
      if (!parsed) throw new InvalidJson();
      take(memoryOf(parsed));
      const { operations, refusals } = read(parsed);
      await queue.add(callerOf(ctx).tenant_id, operations);
      return answer(ctx, operations.length, refusals);
    });

  return [
    defineRoute({
      method: 'post',
      path: '/runs/multipart',
      operationId: 'ingestMultipart',
      summary: 'Log runs as multipart',
      ...accepting,
      handle: ({ ctx }) => {
        const { tenant_id } = callerOf(ctx);
        const boundary = boundaryOf(ctx.get('content-type'));
        if (!boundary) throw new InvalidBatch('Content-Type must be multipart/form-data with a boundary');
        return store(ctx, async (bytes, take) => {
          const batch = readMultipart(splitMultipart(bytes, boundary));
          take(batch.memory);
          const masks = await deps.masks.of(tenant_id);
          const attached = batch.attachments.map((one) => maskAttachment(one, masks));
          const feedback = batch.feedback.map((one) => maskFields(one, TEXT_FIELDS, masks));
          const more = [
            ...attachmentStatements(deps.box, tenant_id, attached),
            ...feedbackStatements(tenant_id, feedback),
          ];
          await queue.add(tenant_id, batch.operations, more);
          const stored = batch.operations.length + batch.attachments.length + batch.feedback.length;
          return answer(ctx, stored, batch.refusals);
        });
      },
    }),
    defineRoute({
      method: 'post',
      path: '/runs/batch',
      operationId: 'ingestBatch',
      summary: 'Log runs as JSON',
      ...accepting,
      handle: ({ ctx }) => storeJson(ctx, readBatch),
    }),
    defineRoute({
      method: 'post',
      path: '/runs',
      operationId: 'createRun',
      summary: 'Log a run',
      ...accepting,
      handle: ({ ctx }) => storeJson(ctx, (parsed) => readOne('post', parsed)),
    }),
    defineRoute({
      method: 'patch',
      path: '/runs/{run_id}',
      operationId: 'updateRun',
      summary: 'Update a run',
      params: Type.Object({ run_id: Uuid }),
      ...accepting,
      handle: ({ ctx, params }) => storeJson(ctx, (parsed) => readOne('patch', parsed, params.run_id)),
    }),
  ];
}

/**
 * Valid runs of a batch are stored even if others are rejected. Answers 422 then, which clients report without
 * retrying (contract §1.7); they would ignore errors in a 202.
 */
function answer(ctx: Context, stored: number, refusals: Refusal[]) {
  ctx.status = refusals.length > 0 ? 422 : 202;
  if (refusals.length === 0) return { message: 'Runs stored' };
  const details = refusals.slice(0, MAX_DETAILS).map(({ detail }) => detail);
  const others = refusals.length > MAX_DETAILS ? [`and ${refusals.length - MAX_DETAILS} more errors`] : [];
  const rest = stored > 0 ? ['The rest of the batch was stored'] : [];
  return { detail: [...details, ...others, ...rest].join('; '), errors: refusals };
}
