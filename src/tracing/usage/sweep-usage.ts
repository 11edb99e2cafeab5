import type { Database } from '../../platform/db/database.ts';
import { readInTurn } from '../bodies/block-reader.ts';
import { placesOf } from '../runs/run-row.ts';
import { estimateTokens, tokenCounter } from './estimate-tokens.ts';
import { modelOf } from './model-of-run.ts';
import type { Prices, TenantPrices } from './prices.ts';
import { priced, type UsageColumns, usageColumns } from './usage-columns.ts';
import { claimDue, type DueRun, settleDue } from './usage-due.ts';
import { type CountedRun, findRuns, writeUsage } from './usage-repository.ts';
import type { RunContents } from './usage-sources.ts';

const AT_ONCE = 200;
const LONGEST_MS = 240_000;

export interface SweptUsage {
  /** Runs whose tokens or cost were filled in. */
  told: number;
  /** Runs without anything to count. */
  empty: number;
}

/**
 * Fills in usage of model calls that did not report it when stored, from later data or by estimation. Safe to run
 * concurrently. Ends when nothing is due or after four minutes.
 */
export async function sweepUsage({ db, prices }: { db: Database; prices: Prices }): Promise<SweptUsage> {
  const swept: SweptUsage = { told: 0, empty: 0 };
  for (const end = Date.now() + LONGEST_MS; Date.now() < end;) {
    const due = await claimDue(db, AT_ONCE);
    if (due.length === 0) break;
    for (const tenantId of new Set(due.map(({ tenant_id }) => tenant_id))) {
      const { told, empty } = await tell(
        db,
        tenantId,
        due.filter(({ tenant_id }) => tenant_id === tenantId),
        await prices.of(tenantId),
      );
      swept.told += told;
      swept.empty += empty;
    }
  }
  return swept;
}

async function tell(
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
  for await (const { rows: group, bodies } of readInTurn(db, tenantId, rows, placesToCount)) {
    const bodyOf = (place: string | null): unknown => {
      const bytes = place === null ? undefined : bodies.get(place);
      return bytes && (JSON.parse(bytes.toString('utf8')) as unknown);
    };
    for (const run of group) {
      const { metadata, run_type } = run;
      const [inputs, outputs] = [bodyOf(run.inputs), bodyOf(run.outputs)];
      const extra = placesOf(run, 'extra').reduce(
        (all, place) => ({ ...all, ...(bodyOf(place) as object) }),
        {},
      );
      const columns = await columnsOf(run, { run_type, metadata, inputs, outputs, extra }, prices);
      if (columns) counted.push({ run, columns });
    }
  }
  const told = await writeUsage(db, tenantId, counted);
  // Leaves runs alone whose post may still arrive, and retries runs that changed meanwhile.
  const waiting = new Set(rows.filter(({ is_posted }) => !is_posted).map(({ id }) => id));
  const changed = new Set(counted.map(({ run }) => run.id).filter((id) => !told.includes(id)));
  const settled = due.filter(({ run_id, is_old }) => is_old || !(waiting.has(run_id) || changed.has(run_id)));
  await settleDue(
    db,
    tenantId,
    settled.map(({ run_id }) => run_id),
  );
  return { told: told.length, empty: settled.length - told.length };
}

async function columnsOf(
  run: CountedRun,
  contents: RunContents,
  prices: TenantPrices,
): Promise<UsageColumns | undefined> {
  const time = new Date(run.start_time);
  const said = usageColumns(contents, time, prices);
  if (said) return said;
  if (run.run_type !== 'llm' || run.status !== 'success' || run.total_tokens !== null) return undefined;
  const model = modelOf(contents);
  const tokens = estimateTokens({ ...contents, model }, await tokenCounter());
  return tokens && priced({ tokens, model, time, prices, isEstimate: true });
}

const placesToCount = (run: CountedRun): string[] =>
  (['inputs', 'outputs', 'extra'] as const).flatMap((column) => placesOf(run, column));
