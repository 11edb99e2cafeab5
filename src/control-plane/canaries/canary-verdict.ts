import { latencyAt, type RevisionFigures } from '../gateway/traffic-figures.ts';
import type { Guard } from '../records/canary.ts';

const MOST_SLOW = 0.95;
// Standard deviations; 3 mean that one healthy canary in 700 looks worse at a check than it is.
const CERTAINTY = 3;

/** Lowest failure rate in percent that explains the failures: the lower Wilson bound. */
function leastPercent(failed: number, all: number): number {
  if (failed === 0) return 0;
  const rate = failed / all;
  const spread = CERTAINTY ** 2 / all;
  const deviation = CERTAINTY * Math.sqrt((rate * (1 - rate)) / all + spread / (4 * all));
  return ((rate + spread / 2 - deviation) / (1 + spread)) * 100;
}

const percent = (part: number, whole: number): number => (whole === 0 ? 0 : (part / whole) * 100);
const asPercent = (share: number): string => `${share.toFixed(1)} %`;

/**
 * Why the canary must be aborted, from its figures and the active revision's; null while it is healthy. Failed
 * requests and failed runs count separately: a broken agent still answers. A difference that may be chance is none.
 */
export function breachOf(
  { minimum, margin, latency_ms }: Required<Omit<Guard, 'latency_ms'>> & Pick<Guard, 'latency_ms'>,
  canary: RevisionFigures,
  serving: RevisionFigures,
): string | null {
  for (const [what, all, failed] of [
    ['requests', 'requests', 'failed'],
    ['runs', 'runs', 'failed_runs'],
  ] as const) {
    const mine = percent(canary[failed], canary[all]);
    const usual = percent(serving[failed], serving[all]);
    if (canary[all] >= minimum && leastPercent(canary[failed], canary[all]) > usual + margin)
      return `${asPercent(mine)} of ${canary[all]} ${what} failed, and ${asPercent(usual)} of ${serving[all]} where it is not`;
  }
  const slow = latencyAt(canary.latency, MOST_SLOW);
  if (latency_ms !== undefined && canary.requests >= minimum && slow !== undefined && slow > latency_ms)
    return `95 of 100 answers begin within ${slow} ms, and may take ${latency_ms} ms`;
  return null;
}

/** Both revisions' figures as a Markdown table. */
export const figuresTable = (canary: RevisionFigures, serving: RevisionFigures): string =>
  [
    '| | requests | failed | runs | failed | 95 of 100 answers within |',
    '|---|---|---|---|---|---|',
    ...(
      [
        ['canary', canary],
        ['serving', serving],
      ] as const
    ).map(
      ([name, of]) =>
        `| ${name} | ${of.requests} | ${asPercent(percent(of.failed, of.requests))} | ${of.runs} | ${asPercent(percent(of.failed_runs, of.runs))} | ${latencyAt(of.latency, MOST_SLOW) ?? '–'} ms |`,
    ),
  ].join('\n');
