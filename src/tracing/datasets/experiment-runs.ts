import { Where } from '../../platform/db/where.ts';
import { InvalidRequest } from '../../platform/errors.ts';
import { isUuid } from '../../platform/ids.ts';
import { type QueryDeps, withoutBodies } from '../query/find-runs.ts';
import { readBounded } from '../query/read-bounded.ts';
import { conditionOf } from '../query/run-query-body.ts';
import type { RunQuery } from '../query/run-query.ts';
import { conditionsOf } from '../query/run-query-sql.ts';
import { RUN_ROW, type RunRow } from '../runs/run-row.ts';
import { experimentsCompared } from './comparative-repository.ts';
import { existingDataset } from './dataset-repository.ts';
import type { ExampleRow } from './example.ts';
import { searchExamples } from './example-search.ts';

/** A comparison of experiments on the examples of a dataset (contract §1.13, §1.14). */
export interface ExperimentsQuery {
  dataset: string;
  experiments: string[];
  comparison?: string | undefined;
  examples?: string[] | undefined;
  /** Run filters by experiment. An example matches if it has a passing run in every filtered experiment. */
  filters?: Record<string, string[]> | undefined;
  /** Sorts by the mean score of a feedback key on runs of the first experiment. */
  sort?: { by: string; order: 'asc' | 'desc' } | undefined;
  limit: number;
  offset: number;
}

/**
 * A page of examples with their runs in the experiments, sorted by time. Throws DatasetNotFound, ComparisonNotFound,
 * InvalidFilter, InvalidRequest, TookTooLong.
 */
export async function readExperiments(
  deps: QueryDeps,
  tenantId: string,
  request: ExperimentsQuery,
): Promise<{ examples: ExampleRow[]; runs: RunRow[] }> {
  const { db } = deps;
  await existingDataset(db, tenantId, request.dataset);
  const experiments = request.comparison
    ? await experimentsCompared(db, tenantId, request.comparison)
    : request.experiments;
  if (experiments.length === 0) throw new InvalidRequest('Experiments are required');
  const filtered = await filteredRuns(deps, tenantId, request.filters ?? {});
  const examples = await searchExamples(
    db,
    tenantId,
    {
      dataset: request.dataset,
      id: request.examples,
      having: (where) => filtered.map((query) => hasRun(query, where)),
      ...(request.sort && { sorted: (where) => scoreSql(tenantId, experiments[0]!, request.sort!, where) }),
    },
    request,
  );
  const ids = examples.map(({ id }) => id);
  const where = new Where();
  const whole = { tenant_id: tenantId, projects: experiments, is_root: true, examples: ids };
  const conditions = conditionsOf(whole, where);
  // Filtered experiments show only passing runs.
  for (const query of filtered)
    conditions.push(
      `(r.project_id <> ${where.bind(query.projects![0])}::uuid or (${conditionsOf(query, where).join(' and ')}))`,
    );
  const runs = await readBounded<RunRow>(db, deps.config.SLIPWAY_TRACE_QUERY_SECONDS, {
    text: `select ${RUN_ROW} from tracing.run r where ${conditions.join(' and ')} order by r.start_time, r.id`,
    values: where.values,
  });
  return { examples, runs };
}

const filteredRuns = (
  deps: QueryDeps,
  tenant_id: string,
  filters: Record<string, string[]>,
): Promise<RunQuery[]> =>
  Promise.all(
    Object.entries(filters).map(async ([project, texts]) => {
      if (!isUuid(project)) throw new InvalidRequest('body.filters has a key that is not an experiment id');
      const all = texts.map(conditionOf).filter((condition) => condition !== undefined);
      const filter = all.length > 0 ? { all } : undefined;
      const query = { tenant_id, projects: [project], is_root: true, filter };
      return { ...(await withoutBodies(deps, query)), projects: [project] };
    }),
  );

const hasRun = (query: RunQuery, where: Where): string =>
  `exists (select 1 from tracing.run r where r.reference_example_id = e.id and ${conditionsOf(query, where).join(' and ')})`;

function scoreSql(
  tenantId: string,
  experiment: string,
  { by, order }: { by: string; order: 'asc' | 'desc' },
  where: Where,
): string {
  const score = `(select avg(f.score) from tracing.run r
    join tracing.feedback f on f.tenant_id = r.tenant_id and f.run_id = r.id
    where r.tenant_id = ${where.bind(tenantId)}::uuid and r.reference_example_id = e.id
      and r.project_id = ${where.bind(experiment)}::uuid and f.key = ${where.bind(by.replace(/^feedback\./, ''))}::text)`;
  return `${score} ${order} nulls last`;
}
