import type { QueuedRun } from './contracts.ts';

const row = (state: string, { run_id, graph_id, multitask_strategy, due_ms }: QueuedRun) =>
  `| ${state} | \`${run_id}\` | ${graph_id} | ${multitask_strategy} | ${due_ms ? new Date(due_ms).toISOString() : ''} |`;

/** Markdown for the Temporal UI: running, queued and last ended runs. */
export function describeThread(
  running: QueuedRun | undefined,
  queued: readonly QueuedRun[],
  finished: readonly string[],
): string {
  const rows = [...(running ? [row('running', running)] : []), ...queued.map((run) => row('queued', run))];
  const table = ['| state | run | graph | strategy | not before |', '|---|---|---|---|---|', ...rows].join(
    '\n',
  );
  const past = finished.length > 0 ? `\n\nEnded last: ${finished.toReversed().slice(0, 5).join(', ')}` : '';
  return (rows.length > 0 ? table : 'Idle.') + past;
}
