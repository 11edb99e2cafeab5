import type { Context } from 'koa';
import { Type } from 'typebox';
import { publicAddress } from '../../platform/http/public-address.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, JsonObject, Uuid } from '../../platform/schema.ts';
import { blobLinks } from '../bodies/blob-links.ts';
import { callerOf } from '../caller.ts';
import { ShareNotFound } from '../errors.ts';
import { listFeedback } from '../feedback/feedback-repository.ts';
import { listProjects } from '../projects/project-repository.ts';
import { statsOfProjects } from '../projects/project-stats.ts';
import { givenTexts, PAGE } from '../request/query-lists.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import { existingDataset } from './dataset-repository.ts';
import {
  findShare,
  findShareOf,
  type Share,
  shareDataset,
  unshareDataset,
} from './dataset-share-repository.ts';
import { countExamples, searchExamples } from './example-search.ts';
import { EXAMPLE_FIELDS, viewExample } from './example-view.ts';

const tags = ['Datasets'];
const params = Type.Object({ dataset_id: Uuid });
const byToken = Type.Object({ token: Uuid });
const Ids = Type.Optional(Type.Array(Uuid, { maxItems: 1_000 }));

/** Datasets shared by token: anyone who has it may read (contract §1.13). */
export const datasetShareRoutes = (deps: TracingDeps): Route[] => {
  const { db } = deps;
  const shared = async (token: string): Promise<Share> => {
    const share = await findShare(db, token);
    if (!share) throw new ShareNotFound();
    return share;
  };
  return [
    defineRoute({
      method: 'put',
      path: '/datasets/{dataset_id}/share',
      operationId: 'shareDataset',
      tags,
      summary: 'Share a dataset',
      params,
      responses: { 200: JsonObject, 404: Detail },
      handle: async ({ ctx, params: { dataset_id } }) => {
        const { tenant_id } = callerOf(ctx);
        await existingDataset(db, tenant_id, dataset_id);
        return view(ctx, await shareDataset(db, tenant_id, dataset_id));
      },
    }),
    defineRoute({
      method: 'get',
      path: '/datasets/{dataset_id}/share',
      operationId: 'readDatasetShare',
      tags,
      summary: 'Read the share token; null if not shared',
      params,
      responses: { 200: Type.Union([JsonObject, Type.Null()]), 404: Detail },
      handle: async ({ ctx, params: { dataset_id } }) => {
        const { tenant_id } = callerOf(ctx);
        await existingDataset(db, tenant_id, dataset_id);
        const share = await findShareOf(db, tenant_id, dataset_id);
        return share ? view(ctx, share) : null;
      },
    }),
    defineRoute({
      method: 'delete',
      path: '/datasets/{dataset_id}/share',
      operationId: 'unshareDataset',
      tags,
      summary: 'Stop sharing a dataset',
      params,
      responses: { 200: JsonObject },
      handle: async ({ ctx, params: { dataset_id } }) => {
        await unshareDataset(db, callerOf(ctx).tenant_id, dataset_id);
        return { message: 'Dataset no longer shared' };
      },
    }),
    defineRoute({
      method: 'get',
      path: '/public/{token}/datasets',
      operationId: 'readSharedDataset',
      tags,
      summary: 'Read a shared dataset',
      params: byToken,
      responses: { 200: JsonObject, 404: Detail },
      handle: async ({ params: { token } }) => {
        const { tenant_id, dataset_id } = await shared(token);
        return existingDataset(db, tenant_id, dataset_id);
      },
    }),
    defineRoute({
      method: 'get',
      path: '/public/{token}/examples/count',
      operationId: 'countSharedExamples',
      tags,
      summary: 'Count examples of a shared dataset',
      params: byToken,
      query: Type.Object({ id: Ids }),
      responses: { 200: Type.Integer(), 404: Detail },
      handle: async ({ params: { token }, query: { id } }) => {
        const { tenant_id, dataset_id } = await shared(token);
        return countExamples(db, tenant_id, { dataset: dataset_id, id });
      },
    }),
    defineRoute({
      method: 'get',
      path: '/public/{token}/examples',
      operationId: 'listSharedExamples',
      tags,
      summary: 'List examples of a shared dataset',
      params: byToken,
      query: Type.Object({ ...PAGE, id: Ids }),
      responses: { 200: Type.Array(JsonObject), 404: Detail },
      handle: async ({ ctx, params: { token }, query }) => {
        const { tenant_id, dataset_id } = await shared(token);
        const rows = await searchExamples(db, tenant_id, { dataset: dataset_id, id: query.id }, query);
        const how = { tenantId: tenant_id, link: blobLinks(deps, ctx), select: [...EXAMPLE_FIELDS] };
        return rows.map((row) => viewExample(row, how));
      },
    }),
    defineRoute({
      method: 'get',
      path: '/public/{token}/datasets/sessions',
      operationId: 'listSharedExperiments',
      tags,
      summary: 'List experiments on a shared dataset with their statistics',
      params: byToken,
      query: Type.Object({
        ...PAGE,
        id: Ids,
        name: Type.Optional(Type.String()),
        name_contains: Type.Optional(Type.String()),
      }),
      responses: { 200: Type.Array(JsonObject), 404: Detail },
      handle: async ({ params: { token }, query }) => {
        const { tenant_id, dataset_id } = await shared(token);
        const projects = await listProjects(db, tenant_id, {
          ...query,
          ...NEWEST,
          reference_dataset: [dataset_id],
        });
        const stats = await statsOfProjects(
          deps,
          tenant_id,
          projects.map(({ id }) => id),
        );
        return projects.map((project) => ({ ...project, ...stats.get(project.id) }));
      },
    }),
    defineRoute({
      method: 'get',
      path: '/public/{token}/datasets/feedback',
      operationId: 'listFeedbackOfSharedExperiments',
      tags,
      summary: 'List feedback on experiments on a shared dataset',
      params: byToken,
      query: Type.Object({ ...PAGE, session: Ids, key: Type.Optional(Type.Array(Type.String())) }),
      responses: { 200: Type.Array(JsonObject), 404: Detail },
      handle: async ({ ctx, params: { token }, query }) => {
        const { tenant_id, dataset_id } = await shared(token);
        const all = { ...NEWEST, reference_dataset: [dataset_id], limit: 1_000, offset: 0 };
        const projects = await listProjects(db, tenant_id, {
          ...all,
          ...(query.session && { id: query.session }),
        });
        const session = projects.map(({ id }) => id);
        return listFeedback(db, tenant_id, { ...query, session, key: givenTexts(ctx, 'key') });
      },
    }),
  ];
};

const NEWEST = { sort_by: 'start_time', sort_by_desc: true, metadata: undefined } as const;

function view(ctx: Context, { token, dataset_id }: Share) {
  const { protocol, host, prefix } = publicAddress(ctx);
  return { dataset_id, share_token: token, url: `${protocol}://${host}${prefix}/public/${token}/d` };
}
