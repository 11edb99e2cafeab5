import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { pino } from 'pino';
import { createRevisionActivities } from '../../activities/deployments/revision-activities.ts';
import type { Builder } from '../../src/control-plane/builds/builder.ts';
import type { ControlPlaneDeps } from '../../src/control-plane/control-plane-deps.ts';
import { ControlPlaneSettings } from '../../src/control-plane/control-plane-settings.ts';
import { createDeployment } from '../../src/control-plane/deployments/deployment-service.ts';
import { findRevision } from '../../src/control-plane/records/revision-repository.ts';
import { DeploymentWorkflows } from '../../src/control-plane/deployment-workflows.ts';
import { RevisionWork } from '../../activities/deployments/revision-work.ts';
import { SealedBox } from '../../src/control-plane/secrets/sealed-box.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { packageRoot } from '../../src/platform/package-root.ts';
import { readSettings } from '../../src/platform/settings.ts';
import { workflowBundle } from '../../src/platform/temporal/worker.ts';
import { useDatabase } from '../support/use-database.ts';
import { ProcessDriver } from '../support/real-driver.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
/** TASK_QUEUE_TYPE_ACTIVITY of Temporal's API. */
const ACTIVITIES = 2;
const database = useDatabase();
let connection: NativeConnection;
beforeAll(async () => {
  await migrate(database.db, 'control-plane', new URL('migrations/control-plane/', packageRoot));
  connection = await NativeConnection.connect({ address: process.env['TEST_TEMPORAL_ADDRESS']! });
});
afterAll(() => connection.close());

test("a tenant's single build does not wait for all earlier builds of another tenant", async () => {
  const client = new Client({ connection });
  const taskQueue = `fairness-${randomUUID()}`;
  const buildQueue = `${taskQueue}-builds`;
  const built: string[] = [];
  const driver = new ProcessDriver();
  const builder: Builder = {
    build: ({ revision }) => {
      built.push(revision.deployment_id);
      return Promise.resolve({ artifact: `sha256:${'0'.repeat(64)}` });
    },
  };
  const deps: ControlPlaneDeps = {
    config: readSettings(ControlPlaneSettings, {}),
    log: pino({ level: 'silent' }),
    db: database.db,
    box: new SealedBox(['a key that is long enough']),
    workflows: new DeploymentWorkflows({ client, taskQueue, buildQueue, deadlineMs: PATIENCE_MS }),
  };
  const activities = createRevisionActivities(new RevisionWork({ ...deps, builder, driver }));
  const common = { connection, activities };
  const workflows = await Worker.create({
    ...common,
    taskQueue,
    workflowBundle: { codePath: workflowBundle },
  });
  const workers = [workflows];
  const ended = [workflows.run()];
  try {
    const ask = async (tenant_id: string) => {
      const { id, latest_revision_id } = await createDeployment(
        deps,
        { tenant_id, name: 'ada', role: 'deployer' },
        {
          name: `agent-${randomUUID()}`,
          source: 'git_host',
          source_config: { repo_url: 'https://git.example.com/acme/agent' },
        },
      );
      await until(
        'it waits',
        async () => (await findRevision(deps.db, latest_revision_id!))?.status === 'AWAITING_BUILD',
      );
      return id;
    };
    const busy = randomUUID();
    for (let count = 0; count < 8; count++) await ask(busy);
    const other = await ask(randomUUID());
    await until('all wait for a builder', async () => {
      const { stats } = await connection.workflowService.describeTaskQueue({
        namespace: client.options.namespace,
        taskQueue: { name: buildQueue },
        taskQueueType: ACTIVITIES,
        reportStats: true,
      });
      return stats?.approximateBacklogCount?.toString() === '9';
    });
    const builders = await Worker.create({
      ...common,
      taskQueue: buildQueue,
      maxConcurrentActivityTaskExecutions: 1,
    });
    workers.push(builders);
    ended.push(builders.run());
    await until('all are built', () => new Set(built).size === 9);
    expect(built.indexOf(other)).toBeLessThan(3);
  } finally {
    for (const worker of workers) worker.shutdown();
    await Promise.all(ended);
    await driver.stopAll();
  }
});
