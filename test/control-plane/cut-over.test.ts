import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterEach, expect, test } from '@jest/globals';
import { Client as AgentClient } from '@langchain/langgraph-sdk';
import { createRevisionActivities } from '../../activities/deployments/revision-activities.ts';
import { findInstance } from '../../src/control-plane/drivers/instance-repository.ts';
import { instanceFolder } from '../../src/control-plane/drivers/process/instance-folder.ts';
import { ProcessDriver } from '../../src/control-plane/drivers/process/process-driver.ts';
import { DeploymentWorkflows } from '../../src/control-plane/deployment-workflows.ts';
import { findRevision } from '../../src/control-plane/records/revision-repository.ts';
import { RevisionWork } from '../../activities/deployments/revision-work.ts';
import { PATIENCE_MS, until } from '../support/until.ts';
import { useTemporal } from '../support/use-temporal.ts';
import {
  gatewayHeaders,
  graph,
  GREETER,
  insertDeployable,
  placeArtifact,
  useDriverOptions,
} from './control-plane-fixture.ts';

const options = useDriverOptions();
const temporal = useTemporal();
const erasures: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const erase of erasures.splice(0)) await erase();
});

/** Deployment workflows on the process driver, with existing builds. */
async function platform() {
  const driver = new ProcessDriver(options());
  const builder = { build: () => Promise.reject(new Error('nothing is built here')) };
  const work = new RevisionWork({ ...options(), builder, driver });
  const taskQueue = `cut-over-${randomUUID()}`;
  const workflows = new DeploymentWorkflows({
    client: temporal.client,
    taskQueue,
    buildQueue: `${taskQueue}-builds`,
    deadlineMs: PATIENCE_MS,
  });
  await temporal.startWorker(createRevisionActivities(work), taskQueue);
  return { driver, workflows };
}

async function revisionOf(files: Record<string, string>, greeting: string, deployment_id?: string) {
  const artifact = await placeArtifact(options().dataDir, files);
  return insertDeployable(options(), artifact, {
    environment: { GREETING: greeting },
    untouched: true,
    ...(deployment_id && { deployment_id }),
  });
}

const statusOf = async (id: string) => (await findRevision(options().db, id))!.status;

test('at a cut-over the old revision finishes running work and the new one takes pending work; a broken one changes nothing', async () => {
  const { driver, workflows } = await platform();
  const { db } = options();
  const greeter = {
    ...GREETER,
    'agent.js': graph(`async ({ ms = 0 }, { store }) => {
      while (ms && !(await store.get(['test'], 'released'))) await new Promise((resolve) => setTimeout(resolve, ms));
      return { said: process.env.GREETING };
    }`),
  };
  const first = await revisionOf(greeter, 'one');
  const { deployment_id } = first;
  erasures.push(() => driver.erase(deployment_id));
  await workflows.submit(deployment_id, { revision_id: first.id, pinned: false });
  await until('the first serves', async () => (await statusOf(first.id)) === 'DEPLOYED');
  const old = new AgentClient({
    apiUrl: (await driver.locate(first.id))!.url,
    defaultHeaders: await gatewayHeaders(options(), first.id),
  });

  const broken = await revisionOf({ ...GREETER, 'agent.js': 'export const graph = 1;' }, '', deployment_id);
  await workflows.submit(deployment_id, { revision_id: broken.id, pinned: false });
  await until('it fails', async () => (await statusOf(broken.id)) === 'DEPLOY_FAILED');
  expect((await findRevision(db, broken.id))!.status_message).toMatch(/exit code.*\n.*graph/s);
  expect(await findInstance(db, { revision_id: broken.id, replica: 0 })).toBeUndefined();

  const { thread_id } = await old.threads.create();
  const running = old.runs.wait(thread_id, 'agent', { input: { ms: 50 } });
  await until('it executes', async () => (await old.runs.list(thread_id))[0]?.status === 'running');
  const waiting = old.runs.wait(thread_id, 'agent', { input: { ms: 0 }, multitaskStrategy: 'enqueue' });
  await until('the other waits', async () => (await old.runs.list(thread_id)).length === 2);
  const second = await revisionOf(greeter, 'two', deployment_id);
  await workflows.submit(deployment_id, { revision_id: second.id, pinned: false });
  await until('the second serves', async () => (await statusOf(second.id)) === 'DEPLOYED');
  await until('the first takes no more runs', async () => {
    const { output } = instanceFolder(options().dataDir, { revision_id: first.id, replica: 0 });
    return (await readFile(output, 'utf8')).includes('stopping; running runs may finish');
  });
  const next = new AgentClient({
    apiUrl: (await driver.locate(second.id))!.url,
    defaultHeaders: await gatewayHeaders(options(), second.id),
  });
  await next.store.putItem(['test'], 'released', { yes: true });
  expect((await running) as object).toMatchObject({ said: 'one' });
  expect((await waiting) as object).toMatchObject({ said: 'two' });
  await until(
    'the first is gone',
    async () => !(await findInstance(db, { revision_id: first.id, replica: 0 })),
  );
  expect(await statusOf(first.id)).toBe('DEPLOYED');
});
