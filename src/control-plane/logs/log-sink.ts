import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import type { LogLevel, LogSink } from '../log.ts';
import { redactLine } from '../../platform/redaction/redact.ts';
import type { RevisionRow } from '../records/revision.ts';
import { insertLines, type NewLine, type Phase } from './log-repository.ts';

const FLUSH_MS = 200;
const LONGEST_LINE = 16_384;
// Caps a build that prints without end.
const MOST_LINES = 50_000;

/** A sink that must be closed to flush its last lines. */
export type ClosableSink = LogSink & { close(): Promise<void> };

/** Stores a revision's log lines in batches; survives short database outages. */
export function logSink(
  { db, log }: Pick<ControlPlaneDeps, 'db' | 'log'>,
  revision: RevisionRow,
  phase: Phase,
): ClosableSink {
  let held: NewLine[] = [];
  let written = 0;
  let flushing: Promise<void> | undefined;
  const flush = async () => {
    while (held.length > 0) {
      const lines = held;
      held = [];
      try {
        await insertLines(db, revision, phase, lines);
      } catch (error) {
        log.warn({ err: error, revision_id: revision.id }, 'could not write log lines');
        held = [...lines, ...held].slice(-1_000);
        return;
      }
    }
  };
  const timer = setInterval(() => (flushing ??= flush().finally(() => (flushing = undefined))), FLUSH_MS);
  const sink = (message: string, level: LogLevel = 'info') => {
    if (written++ >= MOST_LINES) return;
    const text = written === MOST_LINES ? 'Output truncated.' : redactLine(message.slice(0, LONGEST_LINE));
    held.push({ level, message: text.replaceAll('\0', '\uFFFD'), at: Date.now() });
  };
  return Object.assign(sink, {
    async close() {
      clearInterval(timer);
      await flushing;
      await flush();
    },
  });
}
