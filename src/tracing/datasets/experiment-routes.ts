import { Type } from 'typebox';
import type { Queryable } from '../../platform/db/database.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, JsonObject, Uuid } from '../../platform/schema.ts';
import { blobLinks } from '../bodies/blob-links.ts';
import { callerOf } from '../caller.ts';
import { PAGE } from '../query-lists.ts';
import { RUN_ROW, type RunRow } from '../runs/run-row.ts';
import { viewRuns } from '../runs/run-view.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import { experimentsCompared } from './comparative-repository.ts';
import { existingDataset } from './dataset-repository.ts';
import { searchExamples } from './example-search.ts';
import { EXAMPLE_FIELDS, viewExample } from './example-view.ts';

/** Runs of experiments for these examples, by time. */
async function runsOfExamples(
  db: Queryable,
  tenantId: string,
  projectIds: string[],
  exampleIds: string[],
): Promise<RunRow[]> {
  const { rows } = await db.query<RunRow>(
    `select ${RUN_ROW} from tracing.run r
     where r.tenant_id = $1 and r.reference_example_id = any($3) and r.project_id = any($2)
       and r.parent_run_id is null and r.is_posted
     order by r.start_time, r.id`,
    [tenantId, projectIds, exampleIds],
  );
  return rows;
}

/** What experiments made of the examples of a dataset, side by side (contract §1.13). */
export const experimentRoutes = (deps: TracingDeps): Route[] => [
  defineRoute({
    method: 'post',
    path: '/datasets/{dataset_id}/runs',
    operationId: 'readExperimentRuns',
    tags: ['Datasets'],
    summary: 'Examples, each with its runs of these experiments',
    params: Type.Object({ dataset_id: Uuid }),
    body: Type.Object({
      session_ids: Type.Array(Uuid, { minItems: 1, maxItems: 100 }),
      example_ids: Type.Optional(Type.Array(Uuid, { maxItems: 1_000 })),
      comparative_experiment_id: Type.Optional(Uuid),
      preview: Type.Boolean({ default: false }),
      ...PAGE,
    }),
    responses: { 200: Type.Array(JsonObject), 404: Detail },
    handle: async ({ ctx, params: { dataset_id }, body }) => {
      const { db } = deps;
      const { tenant_id } = callerOf(ctx);
      await existingDataset(db, tenant_id, dataset_id);
      const projects = body.comparative_experiment_id
        ? await experimentsCompared(db, tenant_id, body.comparative_experiment_id)
        : body.session_ids;
      const examples = await searchExamples(
        db,
        tenant_id,
        { dataset: dataset_id, id: body.example_ids },
        body,
      );
      const rows = await runsOfExamples(
        db,
        tenant_id,
        projects,
        examples.map(({ id }) => id),
      );
      const link = blobLinks(deps, ctx);
      const runs = await viewRuns(db, tenant_id, rows, { ...(body.preview && { bodies: [] }), link });
      const how = { tenantId: tenant_id, link, select: [...EXAMPLE_FIELDS] };
      return examples.map((example) => ({
        ...viewExample(example, how),
        runs: runs.filter((run) => run['reference_example_id'] === example.id),
      }));
    },
  }),
];
