import { foldMinutes } from '../src/tracing/query/fold-minutes.ts';
import type { TracingDeps } from '../src/tracing/tracing-deps.ts';
import { beating } from './beating.ts';

export type RunMinutesActivities = ReturnType<typeof createRunMinutesActivities>;

export const createRunMinutesActivities = ({ db }: Pick<TracingDeps, 'db'>) => ({
  /** Counts again the minutes in which runs were written; harmless when it is repeated. */
  foldRunMinutes: (): Promise<{ minutes: number }> => beating(() => foldMinutes(db)),
});
