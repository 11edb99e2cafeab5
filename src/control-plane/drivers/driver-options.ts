import type { Client } from '@temporalio/client';
import type { TemporalAddress } from '../../platform/temporal/connection.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';

export interface DriverOptions extends Pick<ControlPlaneDeps, 'config' | 'db' | 'box' | 'log'> {
  /** The platform's own database; its server holds those of the deployments. */
  databaseUrl: string;
  /** The Temporal agents are to use, and a client of it. */
  temporal: TemporalAddress;
  client: Client;
  /** Holds `artifacts/` and `instances/`. */
  dataDir: string;
  /** Name of this machine: processes of the same host see each other's instances. */
  host: string;
  /** The program agents run, where it is not the agent server of this very version. */
  server?: string | undefined;
}
