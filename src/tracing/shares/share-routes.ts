import { randomUUID } from 'node:crypto';
import { Type } from 'typebox';
import { sqlState } from '../../platform/db/database.ts';
import { defineError } from '../../platform/errors.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, Uuid } from '../../platform/schema.ts';
import { callerOf } from '../caller.ts';
import { RunNotFound } from '../errors.ts';
import { findRun } from '../runs/run-repository.ts';
import type { Caller, TracingDeps } from '../tracing-deps.ts';
import { deleteShares, findShareOfRun, insertShare } from '../traces/share-repository.ts';

const TokenTaken = defineError('TokenTaken', 409, () => 'This share_token is in use');

const Shared = Type.Object({ run_id: Uuid, share_token: Uuid, shared_trace_id: Uuid });
const one = { path: '/runs/{run_id}/share', params: Type.Object({ run_id: Uuid }), tags: ['Shares'] };
const newer = { ...one, path: '/api/v2/runs/{run_id}/share' };
const Deleted = { 204: { description: 'No longer shared' } };

/** Shares traces without a key (contract §1.13, §1.14). */
export const shareRoutes = ({ db }: TracingDeps): Route[] => {
  const share = async ({ tenant_id }: Caller, run_id: string, share_token: string = randomUUID()) => {
    const run = await findRun(db, tenant_id, run_id);
    if (!run) throw new RunNotFound(run_id);
    const requested = { share_token, run_id, shared_trace_id: run.trace_id };
    return insertShare(db, tenant_id, requested).catch((error: unknown) => {
      throw sqlState(error) === '23505' ? new TokenTaken() : error;
    });
  };
  return [
    defineRoute({
      ...one,
      method: 'put',
      operationId: 'shareRun',
      summary: 'Share the trace of a run by token',
      body: Type.Object({ share_token: Type.Optional(Uuid) }),
      responses: { 200: Shared, 404: Detail, 409: Detail },
      handle: ({ ctx, params, body }) => share(callerOf(ctx), params.run_id, body.share_token),
    }),
    defineRoute({
      ...one,
      method: 'get',
      operationId: 'readRunShare',
      summary: 'Read the share of a run; null if not shared',
      responses: { 200: Type.Union([Shared, Type.Null()]) },
      handle: async ({ ctx, params }) =>
        (await findShareOfRun(db, callerOf(ctx).tenant_id, params.run_id)) ?? null,
    }),
    defineRoute({
      ...one,
      method: 'delete',
      operationId: 'unshareRun',
      summary: 'Stop sharing a run',
      responses: Deleted,
      handle: ({ ctx, params }) => deleteShares(db, callerOf(ctx).tenant_id, params.run_id),
    }),
    defineRoute({
      ...newer,
      method: 'post',
      operationId: 'shareRunV2',
      summary: 'Share the trace of a run by token',
      body: Type.Object({ session_id: Type.Optional(Uuid), trace_id: Type.Optional(Uuid) }),
      responses: { 200: Type.Object({ share_token: Uuid }), 404: Detail },
      handle: ({ ctx, params }) => share(callerOf(ctx), params.run_id),
    }),
    defineRoute({
      ...newer,
      method: 'delete',
      operationId: 'unshareRunV2',
      summary: 'Stop sharing a trace',
      responses: Deleted,
      handle: ({ ctx, params }) => deleteShares(db, callerOf(ctx).tenant_id, params.run_id),
    }),
  ];
};
