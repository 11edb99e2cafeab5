import type { Recomputed, RecomputeInput } from '../../../workflows/tracing/contracts.ts';
import type { Queryable } from '../../platform/db/database.ts';
import type { RunRow } from '../runs/run-row.ts';
import { readDecimal, writeDecimal } from './decimal.ts';
import { readModel } from './model-of-run.ts';
import type { Prices, TenantPrices } from './prices.ts';
import { readCounts } from './token-usage.ts';
import { priced, type UsageColumns } from './usage-columns.ts';
import { writeUsage } from './usage-repository.ts';

const PAGE = 500;

/** Resume point: the last run processed, by project. Stored in heartbeats. */
export interface RecomputeProgress extends Recomputed {
  project_id?: string;
  start_time?: string;
  id?: string;
}

type Paid = Pick<
  RunRow,
  | 'id'
  | 'start_time'
  | 'updated_at'
  | 'usage'
  | 'prompt_tokens'
  | 'completion_tokens'
  | 'total_tokens'
  | 'prompt_cost'
  | 'completion_cost'
  | 'total_cost'
>;

/** Recomputes costs with the current prices, except client-stated costs. */
export async function recomputeCosts(
  { db, prices }: { db: Queryable; prices: Prices },
  input: RecomputeInput,
  from: RecomputeProgress,
  onProgress: (progress: RecomputeProgress) => void,
): Promise<Recomputed> {
  prices.forget(input.tenant_id);
  let progress = from;
  for (const project of await projectsOf(db, input, from.project_id)) {
    if (project !== progress.project_id)
      progress = { runs: progress.runs, changed: progress.changed, project_id: project };
    for (let isDone = false; !isDone;) {
      const page = await readPage(db, input, progress);
      const known = await prices.of(input.tenant_id);
      const changed = page.flatMap((run) => {
        const columns = repriced(run, known);
        return columns ? [{ run, columns }] : [];
      });
      const written = await writeUsage(db, input.tenant_id, changed);
      const last = page.at(-1);
      progress = {
        runs: progress.runs + page.length,
        changed: progress.changed + written.length,
        project_id: project,
        ...(last && { start_time: last.start_time, id: last.id }),
      };
      onProgress(progress);
      isDone = page.length < PAGE;
    }
  }
  return { runs: progress.runs, changed: progress.changed };
}

/** Remaining projects by id. */
async function projectsOf(db: Queryable, input: RecomputeInput, from?: string): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select id from tracing.project where tenant_id = $1 and ($2::uuid is null or id = $2)
       and ($3::uuid is null or id >= $3) order by id`,
    [input.tenant_id, input.session_id, from],
  );
  return rows.map(({ id }) => id);
}

async function readPage(db: Queryable, input: RecomputeInput, after: RecomputeProgress): Promise<Paid[]> {
  const { rows } = await db.query<Paid>(
    `select r.id, r.start_time, r.updated_at, r.usage, r.prompt_tokens, r.completion_tokens, r.total_tokens,
       r.prompt_cost::text, r.completion_cost::text, r.total_cost::text
     from tracing.run r
     where r.tenant_id = $1 and r.project_id = $2 and r.total_tokens is not null
       and r.usage ->> 'costs_stated' is null
       and ($3::timestamptz is null or r.start_time >= $3) and ($4::timestamptz is null or r.start_time < $4)
       and ($5::timestamptz is null or r.start_time <= $5 and (r.start_time < $5 or r.id > $6))
     order by r.start_time desc, r.id limit ${PAGE}`,
    [input.tenant_id, after.project_id, input.start_time, input.end_time, after.start_time, after.id],
  );
  return rows;
}

/** The run's columns with the current price; undefined if unchanged. */
function repriced(run: Paid, prices: TenantPrices): UsageColumns | undefined {
  const columns = priced({
    tokens: {
      input_tokens: run.prompt_tokens ?? undefined,
      output_tokens: run.completion_tokens ?? undefined,
      total_tokens: run.total_tokens ?? undefined,
      input_token_details: readCounts(run.usage?.['prompt_token_details']),
      output_token_details: readCounts(run.usage?.['completion_token_details']),
    },
    model: readModel(run.usage),
    time: new Date(run.start_time),
    prices,
    isEstimate: run.usage?.['estimated'] === true,
  });
  const isSame =
    (['prompt_cost', 'completion_cost', 'total_cost'] as const).every(
      (column) => columns[column] === sameText(run[column]),
    ) && columns.usage?.['price_model_id'] === run.usage?.['price_model_id'];
  return isSame ? undefined : columns;
}

const sameText = (cost: string | null): string | undefined => {
  const decimal = readDecimal(cost);
  return decimal && writeDecimal(decimal);
};
