import type { Logger } from 'pino';
import type { Database } from '../platform/db/database.ts';
import type { ControlPlaneSettings } from './control-plane-settings.ts';
import type { DeploymentWorkflows } from './deployment-workflows.ts';
import type { SealedBox } from './secrets/sealed-box.ts';

/** Dependencies of the control plane, built once in src/bin. */
export interface ControlPlaneDeps {
  config: ControlPlaneSettings;
  log: Logger;
  db: Database;
  box: SealedBox;
  workflows: DeploymentWorkflows;
}
