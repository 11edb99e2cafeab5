import { randomInt, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { approve, interrupt, promote, rollback } from '../../src/bin/deploy/revision-commands.ts';
import { takesLess } from '../support/takes-less.ts';
import { until } from '../support/until.ts';
import { Caller } from '../support/control-plane-caller.ts';
import { useControlPlane } from '../support/use-control-plane.ts';

const plane = useControlPlane({ SLIPWAY_CANARY_CHECK_SECONDS: '0.3' });
let api: Caller;
let apiKey: string;
beforeAll(async () => {
  apiKey = await plane.key('admin');
  api = new Caller(plane.url, { 'x-api-key': apiKey });
});

/** The longest an interrupt may take, in ms (contract §3.4). */
const SOON_MS = 5_000;
const secrets = (environment: Record<string, string>) =>
  Object.entries(environment).map(([name, value]) => ({ name, value }));
const pathOf = (id: string, revision: string) => `/v2/deployments/${id}/revisions/${revision}`;
const reached = (id: string, revision: string, status: string) =>
  api.until(pathOf(id, revision), ({ json }) => json.status === status);

async function create(environment: Record<string, string> = {}, source_config = {}) {
  const { status, json } = await api.post('/v2/deployments', {
    name: `agent-${randomUUID()}`,
    source: 'git_host',
    source_config: { repo_url: 'https://git.example.com/a/b', ...source_config },
    source_revision_config: { repo_ref: 'main', graph_config_path: 'graph.json' },
    secrets: secrets(environment),
  });
  expect([status, json]).toEqual([201, expect.anything()]);
  return { id: json.id as string, revision: json.latest_revision_id as string };
}

async function revise(id: string, environment: Record<string, string>, more = {}): Promise<string> {
  const body = { source_revision_config: { repo_ref: 'next' }, secrets: secrets(environment), ...more };
  const { status, json } = await api.patch(`/v2/deployments/${id}`, body);
  expect([status, json]).toEqual([200, expect.anything()]);
  return json.latest_revision_id;
}

/** Processes of this machine with a word in their environment or arguments. */
async function processes(word: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const matches = await Promise.all(
    pids.map(async (pid) => {
      const texts = ['environ', 'cmdline'].map((file) =>
        readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => ''),
      );
      return (await Promise.all(texts)).join('\0').split('\0').includes(word);
    }),
  );
  return pids.filter((_, place) => matches[place]);
}

describe('an interrupt ends all processes within 5 s', () => {
  const agentOf = (revision: string) => processes(`REVISION_ID=${revision}`);

  /** Returns how long it took, in ms. */
  async function interrupted(
    id: string,
    revision: string,
    left: () => Promise<string[]>,
    status = 'INTERRUPTED',
  ): Promise<number> {
    const began = Date.now();
    expect((await api.post(`${pathOf(id, revision)}/interrupt`)).status).toBe(200);
    await until('nothing is left', async () => (await left()).length === 0);
    await reached(id, revision, status);
    const took = Date.now() - began;
    expect((await api.post(`${pathOf(id, revision)}/interrupt`)).status).toBe(200);
    return took;
  }

  test('of a queued revision, and of the building one before it', () =>
    takesLess(SOON_MS, async () => {
      // A duration that no other process on this machine uses.
      const seconds = String(randomInt(1_000_000, 1_000_000_000));
      const { id, revision } = await create({ BUILD_SECONDS: seconds });
      await until('it is built', async () => (await processes(seconds)).length > 0);
      const next = await revise(id, { BUILD_SECONDS: '0' });
      await reached(id, next, 'QUEUED');
      const took = await interrupted(id, next, () => agentOf(next));
      await until('it is built still', async () => (await processes(seconds)).length === 1);
      const other = await interrupted(id, revision, () => processes(seconds));
      await until('nothing builds', () => plane.builder.running === 0);
      return Math.max(took, other);
    }));

  test('of a revision that waits for approval', () =>
    takesLess(SOON_MS, async () => {
      const { id, revision } = await create({}, { requires_approval: true });
      await reached(id, revision, 'AWAITING_DEPLOY');
      return interrupted(id, revision, () => agentOf(revision));
    }));

  test.each([
    ['starts', { START_HANGS: '1' }],
    ['does not become healthy', { START_UNHEALTHY: '1' }],
  ])('of one that %s; what serves goes on', (_, environment) =>
    takesLess(SOON_MS, async () => {
      const { id, revision: first } = await create();
      await reached(id, first, 'DEPLOYED');
      const next = await revise(id, environment);
      await until('its process exists', async () => (await agentOf(next)).length > 0);
      await reached(id, next, 'DEPLOYING');
      const took = await interrupted(id, next, () => agentOf(next));
      expect(await plane.driver.ask(first)).toMatchObject({ ok: true });
      expect((await api.get(`/v2/deployments/${id}`)).json.active_revision_id).toBe(first);
      return took;
    }),
  );

  test('of a canary, which is aborted', () =>
    takesLess(SOON_MS, async () => {
      const { id, revision: first } = await create();
      await reached(id, first, 'DEPLOYED');
      const canary = await revise(id, {}, { canary: { percent: 20 } });
      await api.until(`${pathOf(id, canary)}/canary`, ({ json }) => json.percent === 20);
      expect(await agentOf(canary)).toHaveLength(1);
      // It was deployed, and keeps its status.
      const took = await interrupted(id, canary, () => agentOf(canary), 'DEPLOYED');
      const reason = 'interrupted by a admin';
      expect((await api.get(`${pathOf(id, canary)}/canary`)).json).toMatchObject({
        state: 'aborted',
        reason,
      });
      expect(await agentOf(first)).toHaveLength(1);
      expect((await api.post(`${pathOf(id, first)}/interrupt`)).status).toBe(400);
      return took;
    }));
});

describe('commands on a running canary', () => {
  let printed: ReturnType<typeof jest.spyOn>;
  beforeEach(() => {
    printed = jest.spyOn(console, 'log').mockImplementation(() => {});
  });
  afterEach(() => {
    printed.mockRestore();
    process.exitCode = 0;
  });

  async function tried(canary: object) {
    const { id, revision: first } = await create();
    await reached(id, first, 'DEPLOYED');
    const revision = await revise(id, {}, { canary });
    await api.until(`${pathOf(id, revision)}/canary`, ({ json }) => json.state === 'watched');
    const options = {
      url: plane.url,
      apiKey,
      name: id,
      json: true,
      wait: true,
      deadline: '90s',
      logs: false,
    };
    return { id, first, revision, options };
  }
  const standing = async (id: string, revision: string) => {
    const { active_revision_id, latest_revision_id } = (await api.get(`/v2/deployments/${id}`)).json;
    const { state, percent } = (await api.get(`${pathOf(id, revision)}/canary`)).json;
    const { watched, canaries } = (await api.get(`/v2/deployments/${id}/traffic`)).json;
    return { active_revision_id, latest_revision_id, state, percent, watched, canaries };
  };
  const actions = async (revision: string) =>
    (await api.get(`/v2/audit?target=revision/${revision}`)).json.resources.map(
      ({ action, actor, detail }: { action: string; actor: string; detail: { action?: string } }) =>
        [action, actor, detail?.action].filter(Boolean).join(' '),
    );

  test('promote gives it all traffic without a new revision; rollback skips it', async () => {
    const { id, first, revision, options } = await tried({ steps: [{ percent: 5 }, { percent: 50 }] });
    expect((await standing(id, revision)).watched).toEqual([revision]);
    await api.until(`${pathOf(id, revision)}/canary`, ({ json }) => json.percent === 5);
    await approve(revision, options);
    await api.until(`${pathOf(id, revision)}/canary`, ({ json }) => json.percent === 50);
    await promote(revision, options);
    expect(process.exitCode).toBe(0);
    expect(await standing(id, revision)).toEqual({
      active_revision_id: revision,
      latest_revision_id: revision,
      state: 'promoted',
      percent: 0,
      watched: [],
      canaries: [],
    });
    expect(await actions(revision)).toEqual([
      'promoteCanary canary',
      'steerCanary a admin promote',
      'steerCanary a admin approve',
    ]);
    // A canary that never served does not count as the previous serving revision.
    const second = await revise(id, {}, { canary: {} });
    await api.until(`${pathOf(id, second)}/canary`, ({ json }) => json.state === 'watched');
    await interrupt(second, options);
    expect(process.exitCode).toBe(0);
    await rollback(options);
    expect(process.exitCode).toBe(0);
    const { reason } = (await api.get(`/v2/deployments/${id}/revisions?limit=1`)).json.resources[0];
    expect(reason).toBe('redeploy of revision 1');
    expect(first).not.toBe((await standing(id, revision)).active_revision_id);
  });

  test('rollback only ends the canary', async () => {
    const { id, first, revision, options } = await tried({});
    await rollback(options);
    expect(process.exitCode).toBe(0);
    expect(await standing(id, revision)).toMatchObject({
      active_revision_id: first,
      latest_revision_id: revision,
      state: 'aborted',
      watched: [],
    });
    expect(await actions(revision)).toEqual(['abortCanary canary', 'steerCanary a admin abort']);
  });
});
