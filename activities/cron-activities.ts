import type { AgentDeps } from '../src/agent-server/agent-deps.ts';
import { fireDue } from '../src/agent-server/crons/cron-firing.ts';
import { reconcileCrons, type Reconciled } from '../src/agent-server/crons/cron-reconciliation.ts';
import type { FireCronResult, FireDueInput } from '../workflows/contracts.ts';
import { beating } from './beating.ts';

export type CronActivities = ReturnType<typeof createCronActivities>;

export const createCronActivities = (deps: AgentDeps) => ({
  /** Starts the run of a cron that was woken, when there is one to start. */
  fireDue: (input: FireDueInput): Promise<FireCronResult> => fireDue(deps, input),

  /** Makes crons and their schedules agree; fires what nothing woke. */
  reconcileCrons: (): Promise<Reconciled> => beating(() => reconcileCrons(deps)),
});
