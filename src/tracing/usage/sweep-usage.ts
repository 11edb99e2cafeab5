import type { Database } from '../../platform/db/database.ts';
import { readInPortions } from '../bodies/block-reader.ts';
import { locationsOf } from '../runs/run-row.ts';
import { estimateTokens, tokenCounter } from './estimate-tokens.ts';
import { modelOf } from './model-of-run.ts';
import type { Prices, TenantPrices } from './prices.ts';
import { priced, type UsageColumns, usageColumns } from './usage-columns.ts';
import { claimDue, type DueRun, settleDue } from './usage-due.ts';
import { type CountedRun, findRuns, writeUsage } from './usage-repository.ts';
import type { RunContents } from './usage-sources.ts';

const AT_ONCE = 200;
const MAX_MS = 240_000;

export interface SweptUsage {
  /** Runs whose tokens or cost were filled in. */
  filled: number;
  /** Runs without anything to count. */
  empty: number;
}

/**
 * Fills in usage of model calls that did not report it when stored, from later data or by estimation. Safe to run
 * concurrently. Ends when nothing is due or after four minutes.
 */
export async function sweepUsage({ db, prices }: { db: Database; prices: Prices }): Promise<SweptUsage> {
  const swept: SweptUsage = { filled: 0, empty: 0 };
  for (const end = Date.now() + MAX_MS; Date.now() < end;) {
    const due = await claimDue(db, AT_ONCE);
    if (due.length === 0) break;
    for (const tenantId of new Set(due.map(({ tenant_id }) => tenant_id))) {
      const { filled, empty } = await fillIn(
        db,
        tenantId,
        due.filter(({ tenant_id }) => tenant_id === tenantId),
        await prices.of(tenantId),
      );
      swept.filled += filled;
      swept.empty += empty;
    }
  }
  return swept;
}

async function fillIn(
  db: Database,
  tenantId: string,
  due: DueRun[],
  prices: TenantPrices,
): Promise<SweptUsage> {
  const ids = due.map(({ run_id }) => run_id);
  const rows = (await findRuns(db, tenantId, ids)).sort((one, other) =>
    (one.outputs ?? '') < (other.outputs ?? '') ? -1 : 1,
  );
  const counted: { run: CountedRun; columns: UsageColumns }[] = [];
  for await (const { rows: group, bodies } of readInPortions(db, tenantId, rows, placesToCount)) {
    const bodyOf = (location: string | null): unknown => {
      const bytes = location === null ? undefined : bodies.get(location);
      return bytes && (JSON.parse(bytes.toString('utf8')) as unknown);
    };
    for (const run of group) {
      const { metadata, run_type } = run;
      const [inputs, outputs] = [bodyOf(run.inputs), bodyOf(run.outputs)];
      const extra = locationsOf(run, 'extra').reduce(
        (all, location) => ({ ...all, ...(bodyOf(location) as object) }),
        {},
      );
      const columns = await columnsOf(run, { run_type, metadata, inputs, outputs, extra }, prices);
      if (columns) counted.push({ run, columns });
    }
  }
  const filled = await writeUsage(db, tenantId, counted);
  // Leaves runs alone whose post may still arrive, and retries runs that changed meanwhile.
  const waiting = new Set(rows.filter(({ is_posted }) => !is_posted).map(({ id }) => id));
  const changed = new Set(counted.map(({ run }) => run.id).filter((id) => !filled.includes(id)));
  const settled = due.filter(({ run_id, is_old }) => is_old || !(waiting.has(run_id) || changed.has(run_id)));
  await settleDue(
    db,
    tenantId,
    settled.map(({ run_id }) => run_id),
  );
  return { filled: filled.length, empty: settled.length - filled.length };
}

async function columnsOf(
  run: CountedRun,
  contents: RunContents,
  prices: TenantPrices,
): Promise<UsageColumns | undefined> {
  const time = new Date(run.start_time);
  const reported = usageColumns(contents, time, prices);
  if (reported) return reported;
  if (run.run_type !== 'llm' || run.status !== 'success' || run.total_tokens !== null) return undefined;
  const model = modelOf(contents);
  const tokens = estimateTokens({ ...contents, model }, await tokenCounter());
  return tokens && priced({ tokens, model, time, prices, isEstimate: true });
}

const placesToCount = (run: CountedRun): string[] =>
  (['inputs', 'outputs', 'extra'] as const).flatMap((column) => locationsOf(run, column));
