import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, test } from '@jest/globals';
import { ScheduleNotFoundError } from '@temporalio/client';
import { pino } from 'pino';
import { createUpkeepActivities } from '../../activities/deployments/upkeep-activities.ts';
import { createRevisionActivities } from '../../activities/deployments/revision-activities.ts';
import { AGENT_SCHEDULES, removeSchedules } from '../../src/bin/former-schedules.ts';
import { artifactFolder } from '../../src/control-plane/build-folders.ts';
import { ProjectBuilder } from '../../src/control-plane/builds/project-builder.ts';
import type { ControlPlaneDeps } from '../../src/control-plane/control-plane-deps.ts';
import { createDeployment } from '../../src/control-plane/deployments/deployment-service.ts';
import type { Driver } from '../../src/control-plane/drivers/driver.ts';
import { handleGitEvent } from '../../src/control-plane/git-events/git-event-service.ts';
import { readGithubEvent } from '../../src/control-plane/git-events/github-events.ts';
import { createIntegration } from '../../src/control-plane/integrations/integration-service.ts';
import { listLines } from '../../src/control-plane/logs/log-repository.ts';
import { DeploymentWorkflows } from '../../src/control-plane/deployment-workflows.ts';
import { interrupt, requireRevision } from '../../src/control-plane/revisions/revision-service.ts';
import { RevisionWork } from '../../activities/deployments/revision-work.ts';
import { SealedBox } from '../../src/control-plane/secrets/sealed-box.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { packageRoot } from '../../src/platform/package-root.ts';
import { githubPush } from '../support/git-events.ts';
import { takesLess } from '../support/takes-less.ts';
import { PATIENCE_MS } from '../support/until.ts';
import { useDatabase } from '../support/use-database.ts';
import { useTemporal } from '../support/use-temporal.ts';
import { LINK, PROJECT, useBuilds } from './build-setting.ts';

const database = useDatabase();
const temporal = useTemporal();
const builds = useBuilds();
const principal = { tenant_id: randomUUID(), name: 'ada', role: 'deployer' as const };
const deps = {
  config: builds.config,
  log: pino({ level: 'silent' }),
  box: new SealedBox(['a key that is long enough']),
} as ControlPlaneDeps;

beforeAll(async () => {
  await migrate(database.db, 'control-plane', new URL('migrations/control-plane/', packageRoot));
  deps.db = database.db;
});

// Builds in this file are never started.
const driver: Driver = {
  start: () => Promise.reject(new Error('nothing runs here')),
  scale: () => Promise.resolve(),
  drain: async () => {},
  stop: async () => {},
  erase: async () => {},
};

/** A deployment of a repository, on its own worker. */
async function deploy(install_command: string, more: object = {}) {
  const work = new RevisionWork({ ...deps, builder: new ProjectBuilder(deps.config), driver });
  const taskQueue = await temporal.startWorker(createRevisionActivities(work));
  deps.workflows = new DeploymentWorkflows({
    client: temporal.client,
    taskQueue,
    buildQueue: taskQueue,
    deadlineMs: PATIENCE_MS,
  });
  const repository = builds.repository(PROJECT);
  const { id, latest_revision_id } = await createDeployment(deps, principal, {
    name: `agent-${randomUUID().slice(0, 8)}`,
    source: 'git_host',
    source_config: { repo_url: repository.url, install_command, ...more },
    secrets: [],
  });
  const revision = (revisionId = latest_revision_id!) => requireRevision(deps, principal, id, revisionId);
  return {
    id,
    revision,
    repository,
    interrupt: () => interrupt(deps, principal, id, latest_revision_id!),
    lines: async () =>
      (await listLines(deps.db, { phase: 'build', deployment_id: id, order: 'asc', limit: 100 })).map(
        ({ message }) => message,
      ),
    async until(statuses: string[], revisionId?: string) {
      for (;;) {
        const row = await revision(revisionId);
        if (statuses.includes(row.status)) return row;
        await delay(50);
      }
    },
  };
}

test('a built revision has its artifact, commit and log', async () => {
  const deployed = await deploy(LINK);
  const row = await deployed.until(['AWAITING_DEPLOY', 'DEPLOYING', 'DEPLOY_FAILED', 'BUILD_FAILED']);
  expect(row.artifact).toMatch(/^sha256:/);
  expect(row.source_revision_config['repo_commit_sha']).toBe(deployed.repository.sha);
  expect(await deployed.lines()).toContain("graph 'agent' loads");
});

test('a push builds exactly the pushed commit, from the repository itself', async () => {
  const { id, repository, until, interrupt } = await deploy(LINK, { build_on_push: true });
  // Its first revision does not matter here, and may have ended already.
  await interrupt().catch(() => {});
  await until(['INTERRUPTED', 'DEPLOY_FAILED']);
  const before = repository.sha;
  const pushed = repository.commit({ 'src/pushed.ts': 'export {};' });
  // Another revision was requested before the webhook arrived.
  repository.commit({ 'src/later.ts': 'export {};' });
  const integration = await createIntegration(deps, principal, { name: randomUUID(), kind: 'github' });
  const event = readGithubEvent(
    'push',
    githubPush({ owner: '', name: '' }, { before, after: pushed, repository: { clone_url: repository.url } }),
  );
  const received = { integration, delivery_id: randomUUID(), digest: null, sent_at: undefined, event };
  const { deployments } = await handleGitEvent(deps, received);
  const { revision_id, deployment_id } = deployments[0]!;
  expect(deployment_id).toBe(id);
  const row = await until(['AWAITING_DEPLOY', 'DEPLOYING', 'DEPLOY_FAILED', 'BUILD_FAILED'], revision_id);
  const folder = artifactFolder(builds.dataDir, row.artifact!);
  expect(row.source_revision_config['repo_commit_sha']).toBe(pushed);
  expect([existsSync(join(folder, 'src/pushed.ts')), existsSync(join(folder, 'src/later.ts'))]).toEqual([
    true,
    false,
  ]);
});

test('a build that cannot succeed fails once, with its reason', async () => {
  const deployed = await deploy('echo tried; exit 1');
  const { status_message } = await deployed.until(['BUILD_FAILED']);
  expect(status_message).toBe('Installing packages ended with code 1\ntried');
  expect((await deployed.lines()).filter((line) => line === 'tried')).toHaveLength(1);
});

test('interrupting a revision stops its build within seconds', async () => {
  await takesLess(10_000, async () => {
    const deployed = await deploy('echo waiting; sleep 1000');
    while (!(await deployed.lines()).includes('waiting')) await delay(50);
    const asked = Date.now();
    await deployed.interrupt();
    await deployed.until(['INTERRUPTED']);
    const took = Date.now() - asked;
    expect(await readdir(join(builds.dataDir, 'builds'))).toEqual([]);
    return took;
  });
});

test('leftovers of builds are swept', async () => {
  const left = join(builds.dataDir, 'builds/left');
  await mkdir(left, { recursive: true });
  await utimes(left, new Date(0), new Date(0));
  await createUpkeepActivities({ ...deps, databaseOf: async () => undefined }).sweepBuildFolders();
  expect(await readdir(join(builds.dataDir, 'builds'))).toEqual([]);
});

test('Schedules of earlier versions are removed', async () => {
  const owner = randomUUID();
  const scheduleId = `${owner}/sweep`;
  await temporal.client.schedule.create({
    scheduleId,
    spec: { intervals: [{ every: '1 hour' }] },
    action: { type: 'startWorkflow', workflowType: 'sweepRuns', taskQueue: 'none' },
  });
  await removeSchedules(temporal.client, owner, AGENT_SCHEDULES);
  await expect(temporal.client.schedule.getHandle(scheduleId).describe()).rejects.toThrow(
    ScheduleNotFoundError,
  );
});
