import { removeProject, removeRunsOf } from '../src/tracing/projects/project-removal.ts';
import type { TracingDeps } from '../src/tracing/tracing-deps.ts';
import type { DeleteProjectInput } from '../workflows/tracing-contracts.ts';
import { beating } from './beating.ts';

export type ProjectActivities = ReturnType<typeof createProjectActivities>;

export const createProjectActivities = ({ db }: Pick<TracingDeps, 'db'>) => ({
  /** Takes a project off every list; harmless when it is repeated. */
  removeProject: async (input: DeleteProjectInput): Promise<void> => {
    await removeProject(db, input);
  },
  /** Removes its runs, their bodies and what is said of them; goes on from where another attempt was cut short. */
  removeRunsOfProject: (input: DeleteProjectInput): Promise<number> => beating(() => removeRunsOf(db, input)),
});
