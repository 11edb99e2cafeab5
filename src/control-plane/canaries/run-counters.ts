import { readAtMost } from '../../platform/http/read-at-most.ts';
import type { Target } from '../gateway/route-repository.ts';
import { gatewayTokenHeader } from '../gateway/gateway-token.ts';
import type { RunCounters } from '../records/canary.ts';

const PATIENCE_MS = 2_000;
const MOST_BYTES_READ = 1024 * 1024;
const COUNTER = /^slipway_runs_total\{status="(\w+)"\} (\d+)/gm;
const FAILED = new Set(['error', 'timeout']);

/** Run counters by instance; instances that don't answer are missing. */
export async function readRunCounters(target: Target | undefined): Promise<Record<string, RunCounters>> {
  const { urls = [], token = null } = target ?? {};
  const read = urls.map(async (url) => [url, await countersAt(url, token)] as const);
  return Object.fromEntries((await Promise.all(read)).flatMap(([url, of]) => (of ? [[url, of]] : [])));
}

async function countersAt(url: string, token: string | null): Promise<RunCounters | undefined> {
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    // The image may be the tenant's own: it must not send the platform elsewhere, or fill its memory.
    const answer = await fetch(`${url}/metrics`, {
      headers: gatewayTokenHeader(token),
      redirect: 'error',
      signal,
    });
    if (!answer.ok || !answer.body) return undefined;
    const text = await readAtMost(answer.body, MOST_BYTES_READ);
    const counters = { runs: 0, failed_runs: 0 };
    for (const [, status = '', number] of text.matchAll(COUNTER)) {
      counters.runs += Number(number);
      if (FAILED.has(status)) counters.failed_runs += Number(number);
    }
    return counters;
  } catch {
    return undefined;
  }
}

/** The increase since `before`; a smaller counter means a restart. */
export const addedSince = (now: RunCounters, before: RunCounters | undefined): RunCounters =>
  !before || now.runs < before.runs
    ? now
    : { runs: now.runs - before.runs, failed_runs: now.failed_runs - before.failed_runs };
