import type { Logger } from 'pino';
import type { Database } from '../platform/db/database.ts';
import type { ControlPlaneSettings } from './control-plane-settings.ts';
import type { DeploymentWorkflows } from './revisions/deployment-workflows.ts';
import type { SealedBox } from './secrets/sealed-box.ts';

/** What every part of the control plane works with; built once in src/bin and passed in. */
export interface ControlPlaneDeps {
  config: ControlPlaneSettings;
  log: Logger;
  db: Database;
  box: SealedBox;
  workflows: DeploymentWorkflows;
}
