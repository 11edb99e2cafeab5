import type { Logger } from 'pino';
import type { FoldedRun } from './folded-run.ts';
import { bitOf, type RunColumn } from '../runs/run-columns.ts';
import type { Prices, TenantPrices } from '../usage/prices.ts';
import { usageColumns } from '../usage/usage-columns.ts';
import { isModelCall, type RunContents } from '../usage/usage-sources.ts';

export interface UsageDeps {
  prices: Prices;
  log: Logger;
}

/**
 * Fills in usage and cost of a batch of runs, and records those that may only be known later. Makes no query per run.
 */
export async function fillUsage(
  { prices, log }: UsageDeps,
  tenantId: string,
  runs: FoldedRun[],
): Promise<void> {
  const reporting = runs.filter(mayReportUsage);
  if (reporting.length === 0) return;
  const known = await prices.of(tenantId);
  for (const run of reporting)
    try {
      fill(run, known);
      run.mayUsageBeDue = mayBeDue(run);
    } catch (error) {
      // Invalid usage must not prevent storing a run.
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

/** Whether the batch may contain the run's usage. */
const mayReportUsage = ({ parsed, metadata, values }: FoldedRun): boolean =>
  parsed.outputs !== undefined || metadata['usage_metadata'] !== undefined || values.end_time !== undefined;

const contentsOf = ({ values, parsed, metadata }: FoldedRun): RunContents => ({
  run_type: values.run_type as string | undefined,
  inputs: parsed.inputs,
  outputs: parsed.outputs,
  metadata,
  extra: parsed.extra,
});

/**
 * Whether a model call, or a run that may be one, lacks tokens or model in this batch. A separate post may have named
 * the model.
 */
function mayBeDue({ values, isPosted }: FoldedRun): boolean {
  const type = values.run_type as string | undefined;
  if (values.error !== undefined || (type !== undefined && !isModelCall(type))) return false;
  const usage = (values.usage ?? {}) as { model?: unknown; costs_stated?: boolean };
  if (usage.costs_stated) return false;
  return values.total_tokens === undefined || (usage.model === undefined && !isPosted);
}
