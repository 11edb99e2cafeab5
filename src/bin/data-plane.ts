import { hostname } from 'node:os';
import type { Client } from '@temporalio/client';
import type { Builder } from '../control-plane/builds/builder.ts';
import { ProjectBuilder } from '../control-plane/builds/project-builder.ts';
import type { ControlPlaneDeps } from '../control-plane/control-plane-deps.ts';
import type { DriverOptions } from '../control-plane/drivers/driver-options.ts';
import type { Driver } from '../control-plane/drivers/driver.ts';
import { DockerDriver } from '../control-plane/drivers/docker/docker-driver.ts';
import { engineHost, openEngine } from '../control-plane/drivers/docker/docker-engine.ts';
import { findAgentDatabase } from '../control-plane/drivers/agent-database.ts';
import { ClusterWatch } from '../control-plane/drivers/kubernetes/cluster-watch.ts';
import { openCluster } from '../control-plane/drivers/kubernetes/cluster.ts';
import { KubernetesDriver } from '../control-plane/drivers/kubernetes/kubernetes-driver.ts';
import { ProcessDriver } from '../control-plane/drivers/process/process-driver.ts';
import { unfencedTenants } from '../control-plane/drivers/process/tenant-check.ts';
import { Supervisor } from '../control-plane/drivers/supervisor.ts';
import { readPrivateAddresses } from '../platform/private-addresses.ts';
import { InvalidSetting } from '../platform/settings.ts';
import { temporalAddress } from '../platform/temporal/connection.ts';
import type { PlatformSettings } from './platform-settings.ts';

export interface DataPlaneDeps extends ControlPlaneDeps {
  config: PlatformSettings & { DATABASE_URL: string; TEMPORAL_ADDRESS: string };
  temporal: Client;
}

/** The builder and driver of a process with workers. */
export interface DataPlane {
  builder: Builder;
  driver: Driver;
  /** Connection string of a deployment's database; undefined until it exists. */
  databaseOf(deploymentId: string): Promise<string | undefined>;
  /** Stops supervising. Agents keep running, unless they end with this process and return with the next. */
  stop(options?: { withAgents?: boolean }): Promise<void>;
}

/** Chooses builder and driver. Rejects when the engine or cluster can't be reached. */
export async function openDataPlane(
  { config, db, box, log, temporal }: DataPlaneDeps,
  { server }: { server?: string } = {},
): Promise<DataPlane> {
  const options = {
    server,
    config,
    db,
    box,
    log,
    client: temporal,
    databaseUrl: config.DATABASE_URL,
    temporal: temporalAddress(config),
    dataDir: config.SLIPWAY_DATA_DIR,
    host: hostname(),
  };
  // Fails here rather than in every agent.
  readPrivateAddresses('SLIPWAY_WEBHOOK_PRIVATE_ADDRESSES', config.SLIPWAY_WEBHOOK_PRIVATE_ADDRESSES);
  if (config.SLIPWAY_DRIVER === 'process') {
    const missing = await unfencedTenants(db, config);
    if (missing) log.warn(missing);
  }
  const { driver, supervisor } = await openDriver(options);
  supervisor.start();
  return {
    builder: new ProjectBuilder(config),
    driver,
    databaseOf: (deploymentId) => findAgentDatabase(options, deploymentId),
    async stop({ withAgents = false } = {}) {
      await supervisor.stop();
      if (withAgents) await driver.suspend?.(config.SLIPWAY_GRACE_SECONDS * 1000);
    },
  };
}

interface Opened {
  driver: Driver & { suspend?(graceMs: number): Promise<void> };
  supervisor: { start(): void; stop(): Promise<void> };
}

const openDriver = async (options: DriverOptions): Promise<Opened> =>
  ({
    process: openProcesses,
    docker: openContainers,
    kubernetes: openPods,
  })[options.config.SLIPWAY_DRIVER](options);

function openProcesses(options: DriverOptions): Opened {
  const driver = new ProcessDriver(options);
  return { driver, supervisor: new Supervisor(options, driver) };
}

async function openContainers(options: DriverOptions): Promise<Opened> {
  const docker = await openEngine(options.config);
  const host = await engineHost(docker).catch((cause: Error) => {
    const where = options.config.SLIPWAY_DOCKER_SOCKET;
    throw new InvalidSetting(`no Docker API responds at SLIPWAY_DOCKER_SOCKET=${where}: ${cause.message}`, {
      cause,
    });
  });
  const driver = new DockerDriver({ ...options, host }, docker);
  return { driver, supervisor: new Supervisor({ ...options, host }, driver) };
}

async function openPods(options: DriverOptions): Promise<Opened> {
  const cluster = await openCluster(options.config);
  const about = { ...options, cluster, host: `kubernetes/${cluster.namespace}` };
  const driver = new KubernetesDriver(about);
  return { driver, supervisor: new ClusterWatch(about, driver) };
}
