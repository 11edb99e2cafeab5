import type { AgentDeps } from '../agent-deps.ts';
import type { RunEnd } from '../events/event-frame.ts';
import type { StateSummary } from '../../graph-protocol/messages.ts';
import type { FeedbackUrls } from './feedback.ts';

interface Result {
  error: object | null;
  state: Pick<StateSummary, 'values' | 'output' | 'interrupts' | 'open'> | undefined;
  feedback?: FeedbackUrls | null | undefined;
}

/** A run's result as JSON text; empty if it is not known here. */
export function resultText({ error, state, feedback }: Result): string {
  if (error) return JSON.stringify({ __error__: error });
  if (!state) return '';
  const open = state.open ?? Object.values(state.interrupts).flat();
  return JSON.stringify({
    ...(state.output ?? state.values),
    ...(open.length > 0 && { __interrupt__: open }),
    ...(feedback && { __feedback__: feedback }),
  });
}

interface ResultRow {
  status: string;
  error: object | null;
  values: Record<string, unknown> | null;
  interrupts: StateSummary['interrupts'];
  feedback_keys: string[] | null;
}

/**
 * Result of an ended run as JSON text (contract §5.3): from the end notification if it carries one, else from the run
 * and its thread. Empty if the run has been removed.
 */
export async function resultOf(
  { db, feedback }: Pick<AgentDeps, 'db' | 'feedback'>,
  runId: string,
  end: RunEnd | undefined,
): Promise<string> {
  if (end?.output) return end.output;
  const { rows } = await db.query<ResultRow>(
    `select run.status, run.error, thread."values", thread.interrupts, run.kwargs->'feedback_keys' as feedback_keys
     from run join thread using (thread_id) where run_id = $1`,
    [runId],
  );
  const row = rows[0];
  if (!row) return '{}';
  const { error, values, status, interrupts, feedback_keys } = row;
  return resultText({
    error,
    state: { values: values ?? {}, interrupts: status === 'interrupted' ? interrupts : {} },
    feedback: feedback_keys && (await feedback.again(runId, feedback_keys)),
  });
}
