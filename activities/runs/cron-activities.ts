import type { AgentDeps } from '../../src/agent-server/agent-deps.ts';
import { fireDue } from '../../src/agent-server/crons/cron-firing.ts';
import { reconcileCrons } from '../../src/agent-server/crons/cron-reconciliation.ts';
import type { CronActivities } from '../../workflows/runs/contracts.ts';
import { withHeartbeat } from '../heartbeat.ts';

export const createCronActivities = (deps: AgentDeps): CronActivities => ({
  fireDue: (input) => fireDue(deps, input),
  reconcileCrons: () => withHeartbeat(() => reconcileCrons(deps)),
});
