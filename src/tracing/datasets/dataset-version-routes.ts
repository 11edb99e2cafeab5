import { Type } from 'typebox';
import { InvalidRequest } from '../../platform/errors.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, Uuid } from '../../platform/schema.ts';
import { callerOf } from '../caller.ts';
import { VersionNotFound } from '../errors.ts';
import { PAGE } from '../request/query-lists.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import { existingDataset } from './dataset-repository.ts';
import * as versions from './dataset-versions.ts';
import { listSplits } from './example-search.ts';
import { changeSplit } from './example-copies.ts';

const tags = ['Datasets'];
const params = Type.Object({ dataset_id: Uuid });
const Version = Type.Object({ as_of: Type.String(), tags: Type.Array(Type.String()) });
const Name = Type.String({ minLength: 1, maxLength: 500 });
const AsOf = Type.Optional(Type.String());

/** Versions of a dataset, their tags, and its splits (contract §1.13). */
export const datasetVersionRoutes = (deps: TracingDeps): Route[] => {
  const { db } = deps;
  return [
    defineRoute({
      method: 'get',
      path: '/datasets/{dataset_id}/version',
      operationId: 'readDatasetVersion',
      tags,
      summary: 'Read a version by time or tag',
      params,
      query: Type.Object({ as_of: AsOf, tag: AsOf }),
      responses: { 200: Version, 404: Detail },
      handle: async ({ ctx, params: { dataset_id }, query }) => {
        const { tenant_id } = callerOf(ctx);
        const selector = query.as_of ?? query.tag;
        if (!selector) throw new InvalidRequest('One of as_of and tag is required');
        const asOf = await versions.readAsOf(db, tenant_id, dataset_id, selector);
        const version = await versions.findVersion(db, tenant_id, dataset_id, asOf);
        if (!version) throw new VersionNotFound(selector);
        return version;
      },
    }),
    defineRoute({
      method: 'get',
      path: '/datasets/{dataset_id}/versions',
      operationId: 'listDatasetVersions',
      tags,
      summary: 'List versions, newest first',
      params,
      query: Type.Object({ ...PAGE, search: Type.Optional(Type.String()) }),
      responses: { 200: Type.Array(Version) },
      handle: ({ ctx, params: { dataset_id }, query }) =>
        versions.listVersions(db, callerOf(ctx).tenant_id, dataset_id, query),
    }),
    defineRoute({
      method: 'get',
      path: '/datasets/{dataset_id}/versions/diff',
      operationId: 'diffDatasetVersions',
      tags,
      summary: 'List examples that changed between two versions',
      params,
      query: Type.Object({ from_version: Type.String(), to_version: Type.String() }),
      responses: { 200: Type.Record(Type.String(), Type.Array(Uuid)), 404: Detail },
      handle: async ({ ctx, params: { dataset_id }, query }) => {
        const { tenant_id } = callerOf(ctx);
        const [from, to] = await Promise.all([
          versions.readAsOf(db, tenant_id, dataset_id, query.from_version),
          versions.readAsOf(db, tenant_id, dataset_id, query.to_version),
        ]);
        return versions.diffVersions(db, tenant_id, dataset_id, from, to);
      },
    }),
    defineRoute({
      method: 'put',
      path: '/datasets/{dataset_id}/tags',
      operationId: 'tagDatasetVersion',
      tags,
      summary: 'Tag a version, or remove the tag if as_of is missing',
      params,
      body: Type.Object({ tag: Name, as_of: Type.Optional(Type.Union([Type.String(), Type.Null()])) }),
      responses: { 200: Version, 404: Detail },
      handle: async ({ ctx, params: { dataset_id }, body: { tag, as_of } }) => {
        const { tenant_id } = callerOf(ctx);
        if (tag === 'latest') throw new InvalidRequest('The tag latest is reserved for the newest version');
        if (as_of == null) {
          await existingDataset(db, tenant_id, dataset_id);
          await versions.tagVersion(db, tenant_id, dataset_id, tag, null);
          return { tags: [], as_of: '' };
        }
        const time = await versions.readAsOf(db, tenant_id, dataset_id, as_of);
        const version = await versions.findVersion(db, tenant_id, dataset_id, time);
        if (!version) throw new VersionNotFound(as_of);
        await versions.tagVersion(db, tenant_id, dataset_id, tag, version.as_of);
        return { as_of: version.as_of, tags: [...new Set([...version.tags, tag])] };
      },
    }),
    defineRoute({
      method: 'get',
      path: '/datasets/{dataset_id}/splits',
      operationId: 'listDatasetSplits',
      tags,
      summary: 'List splits',
      params,
      query: Type.Object({ as_of: AsOf }),
      responses: { 200: Type.Array(Type.String()), 404: Detail },
      handle: async ({ ctx, params: { dataset_id }, query }) => {
        const { tenant_id } = callerOf(ctx);
        const asOf = await versions.readAsOf(db, tenant_id, dataset_id, query.as_of);
        return listSplits(db, tenant_id, dataset_id, asOf);
      },
    }),
    defineRoute({
      method: 'put',
      path: '/datasets/{dataset_id}/splits',
      operationId: 'updateDatasetSplits',
      tags,
      summary: 'Add examples to a split or remove them',
      params,
      body: Type.Object({
        split_name: Name,
        examples: Type.Array(Uuid, { maxItems: 10_000 }),
        remove: Type.Boolean({ default: false }),
      }),
      responses: { 200: Type.Array(Type.String()), 404: Detail },
      handle: async ({ ctx, params: { dataset_id }, body: { split_name, examples, remove } }) => {
        const { tenant_id } = callerOf(ctx);
        const ids = [...new Set(examples)];
        await changeSplit(deps, tenant_id, dataset_id, { split: split_name, ids, remove });
        return listSplits(db, tenant_id, dataset_id, undefined);
      },
    }),
  ];
};
