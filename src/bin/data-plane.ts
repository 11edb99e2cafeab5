import { hostname } from 'node:os';
import type { Client } from '@temporalio/client';
import type { Builder } from '../control-plane/builds/builder.ts';
import { ProjectBuilder } from '../control-plane/builds/project-builder.ts';
import type { ControlPlaneDeps } from '../control-plane/control-plane-deps.ts';
import type { Driver } from '../control-plane/drivers/driver.ts';
import { ProcessDriver } from '../control-plane/drivers/process/process-driver.ts';
import { Supervisor } from '../control-plane/drivers/supervisor.ts';
import type { PlatformSettings } from './platform-settings.ts';

export interface DataPlaneDeps extends ControlPlaneDeps {
  config: PlatformSettings & { DATABASE_URL: string; TEMPORAL_ADDRESS: string };
  temporal: Client;
}

/** What builds revisions and what runs them, in a process with workers. */
export interface DataPlane {
  builder: Builder;
  driver: Driver;
  /** Lets go of what it looks after; what runs goes on. */
  stop(): Promise<void>;
}

/** The one place that says which builder and which driver there is: this machine's own. */
export function openDataPlane({ config, db, box, log, temporal }: DataPlaneDeps): DataPlane {
  const options = {
    config,
    db,
    box,
    log,
    client: temporal,
    databaseUrl: config.DATABASE_URL,
    temporal: {
      address: config.TEMPORAL_ADDRESS,
      namespace: config.TEMPORAL_NAMESPACE,
      apiKey: config.TEMPORAL_API_KEY,
      tls: config.TEMPORAL_TLS,
    },
    dataDir: config.SLIPWAY_DATA_DIR,
    host: hostname(),
  };
  const driver = new ProcessDriver(options);
  const supervisor = new Supervisor(options, driver);
  supervisor.start();
  return { builder: new ProjectBuilder(config), driver, stop: () => supervisor.stop() };
}
