import { Type } from 'typebox';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, Uuid } from '../../platform/schema.ts';
import { callerOf } from '../caller.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import { deleteTracesOf } from './trace-deletion.ts';

const MAX_TRACES = 1_000;
const Accepted = Type.Object({ message: Type.String() });
const responses = { 202: Accepted, 503: Detail };
const tags = ['Runs'];

/** Deletes traces. Tracing clients have no such operation (contract §1.11). */
export const traceRoutes = (deps: TracingDeps): Route[] => [
  defineRoute({
    method: 'delete',
    path: '/runs/{trace_id}',
    operationId: 'deleteTrace',
    tags,
    summary: 'Delete a trace and its runs',
    params: Type.Object({ trace_id: Uuid }),
    responses,
    handle: async ({ ctx, params: { trace_id } }) => {
      await deleteTracesOf(deps, callerOf(ctx).tenant_id, [trace_id]);
      ctx.status = 202;
      return { message: 'The trace is being deleted' };
    },
  }),
  defineRoute({
    method: 'post',
    path: '/runs/delete',
    operationId: 'deleteTraces',
    tags,
    summary: 'Delete traces and their runs',
    body: Type.Object({ trace_ids: Type.Array(Uuid, { minItems: 1, maxItems: MAX_TRACES }) }),
    responses,
    handle: async ({ ctx, body: { trace_ids } }) => {
      await deleteTracesOf(deps, callerOf(ctx).tenant_id, [...new Set(trace_ids)]);
      ctx.status = 202;
      return { message: 'The traces are being deleted' };
    },
  }),
];
