import type { Logger } from 'pino';
import type { FoldedRun } from '../ingest/folded-run.ts';
import { bitOf, type RunColumn } from '../ingest/run-columns.ts';
import type { Prices, TenantPrices } from './prices.ts';
import { usageColumns } from './usage-columns.ts';
import { isModelCall, type RunContents } from './usage-sources.ts';

export interface UsageDeps {
  prices: Prices;
  log: Logger;
}

/** Fills in what the runs of a batch used and cost, and notes of which that may be told later only; no query per run. */
export async function fillUsage(
  { prices, log }: UsageDeps,
  tenantId: string,
  runs: FoldedRun[],
): Promise<void> {
  const told = runs.filter(isTold);
  if (told.length === 0) return;
  const known = await prices.of(tenantId);
  for (const run of told)
    try {
      fill(run, known);
      run.mayUsageBeDue = mayBeDue(run);
    } catch (error) {
      // A run is stored whatever its usage looks like.
      log.warn({ err: error, run_id: run.id }, 'usage could not be read');
    }
}

function fill(run: FoldedRun, prices: TenantPrices): void {
  const columns = usageColumns(contentsOf(run), new Date(run.start_time ?? Date.now()), prices);
  for (const [column, value] of Object.entries(columns ?? {}) as [RunColumn, unknown][]) {
    run.values[column] = value;
    if (run.patched !== 0) run.patched |= bitOf(column);
  }
}

/** Something in it may say what was used. */
const isTold = ({ parsed, metadata, values }: FoldedRun): boolean =>
  parsed.outputs !== undefined || metadata['usage_metadata'] !== undefined || values.end_time !== undefined;

const contentsOf = ({ values, parsed, metadata }: FoldedRun): RunContents => ({
  run_type: values.run_type as string | undefined,
  inputs: parsed.inputs,
  outputs: parsed.outputs,
  metadata,
  extra: parsed.extra,
});

/**
 * A model call, or what may be one, of which the tokens are in nothing that came together; or the model, which a post
 * that came alone may have named.
 */
function mayBeDue({ values, isPosted }: FoldedRun): boolean {
  const type = values.run_type as string | undefined;
  if (values.error !== undefined || (type !== undefined && !isModelCall(type))) return false;
  const usage = (values.usage ?? {}) as { model?: unknown; costs_stated?: boolean };
  if (usage.costs_stated) return false;
  return values.total_tokens === undefined || (usage.model === undefined && !isPosted);
}
