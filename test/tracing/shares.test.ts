import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { Client } from 'langsmith';
import { API_KEY, ask, type PlatformProcess, usePlatform } from '../support/platform.ts';

const platform = usePlatform();
let api: PlatformProcess;
let client: Client;
beforeAll(async () => {
  api = await platform.start('api', { SLIPWAY_TRACE_OPEN_RUNS: '100' });
  client = new Client({ apiUrl: api.url, apiKey: API_KEY });
});

const ANYONE = {};

/** Logs a trace of a root and its children. Returns their ids. */
async function logTrace(children = 1): Promise<string[]> {
  const root = randomUUID();
  const order = `20260102T030405000000Z${root}`;
  const main = { name: 'root', run_type: 'chain', start_time: '2026-01-02T03:04:05Z' };
  const post = [{ ...main, id: root, trace_id: root, dotted_order: order, inputs: { secret: root } }];
  for (let n = 0; n < children; n++) {
    const id = randomUUID();
    const dotted_order = `${order}.20260102T0304${String(10 + Math.floor(n / 1000)).padStart(2, '0')}${String(n % 1000).padStart(6, '0')}Z${id}`;
    const child = { ...main, id, trace_id: root, parent_run_id: root, dotted_order, name: `child ${n}` };
    post.push({ ...child, inputs: { secret: root } });
  }
  expect((await ask(api.url, 'POST', '/runs/batch', { post })).status).toBe(202);
  return post.map(({ id }) => id);
}

test('the SDK shares a run, readers use the token, and sharing stops', async () => {
  const [root, child] = (await logTrace()) as [string, string];
  expect(await client.readRunSharedLink(root)).toBeUndefined();
  expect(await ask(api.url, 'GET', `/runs/${root}/share`)).toMatchObject({ status: 200, json: null });
  const token = randomUUID();
  expect(await client.shareRun(root, { shareId: token })).toContain(`/public/${token}/r`);
  expect(await client.shareRun(root)).toContain(`/public/${token}/r`);
  expect(await client.readRunSharedLink(root)).toContain(token);
  expect((await ask(api.url, 'GET', `/runs/${root}`)).json.share_token).toBe(token);

  const shared = await ask(api.url, 'GET', `/public/${token}/run`, undefined, ANYONE);
  expect(shared.json).toMatchObject({ id: root, inputs: { secret: root }, share_token: token });
  const inside = await ask(api.url, 'GET', `/api/v1/public/${token}/run/${child}`, undefined, ANYONE);
  expect(inside.json).toMatchObject({ id: child, name: 'child 0' });
  expect((await client.listSharedRuns(token)).map(({ id }) => id)).toEqual([root, child]);
  expect((await client.listSharedRuns(token, { runIds: [child] })).map(({ id }) => id)).toEqual([child]);
  expect((await ask(api.url, 'GET', `/public/${token}/runs`, undefined, ANYONE)).json).toHaveLength(2);

  await client.unshareRun(root);
  expect(await client.readRunSharedLink(root)).toBeUndefined();
  for (const path of ['run', `run/${child}`, 'runs'])
    expect((await ask(api.url, 'GET', `/public/${token}/${path}`, undefined, ANYONE)).status).toBe(404);
});

test('a token opens its trace and nothing else', async () => {
  const [root] = (await logTrace()) as [string];
  const [strange] = (await logTrace()) as [string];
  const token = randomUUID();
  await client.shareRun(root, { shareId: token });
  const path = `/public/${token}`;
  expect((await ask(api.url, 'GET', `${path}/run/${strange}`, undefined, ANYONE)).status).toBe(404);
  const asked = await ask(api.url, 'POST', `${path}/runs/query`, { id: [root, strange] }, ANYONE);
  expect(asked.json.runs.map(({ id }: { id: string }) => id)).toEqual([root]);
  expect((await ask(api.url, 'GET', `/public/${randomUUID()}/run`, undefined, ANYONE)).status).toBe(404);
  expect((await ask(api.url, 'GET', '/public/guess/run', undefined, ANYONE)).status).toBe(422);
  expect((await ask(api.url, 'PUT', `/runs/${root}/share`, {}, ANYONE)).status).toBe(401);
  expect((await ask(api.url, 'GET', `/runs/${root}`, undefined, ANYONE)).status).toBe(401);
  const taken = await ask(api.url, 'PUT', `/runs/${strange}/share`, { share_token: token });
  expect(taken.status).toBe(409);
  expect((await ask(api.url, 'PUT', `/runs/${randomUUID()}/share`, {})).status).toBe(404);
});

test('shares a thread with all of its traces, including later ones', async () => {
  const turn = async (thread_id: string) => {
    const root = randomUUID();
    const run = { trace_id: root, name: 'turn', session_name: 'talks', start_time: Date.now(), inputs: {} };
    const extra = { metadata: { thread_id } };
    const child = { ...run, id: randomUUID(), parent_run_id: root, name: 'call' };
    const post = [{ ...run, id: root, extra }, child];
    expect((await ask(api.url, 'POST', '/runs/batch', { post })).status).toBe(202);
    return root;
  };
  const [first, strange] = [await turn('a/b'), await turn('other')];
  const { id: project_id } = await client.readProject({ projectName: 'talks' });
  const path = `/api/v2/threads/${encodeURIComponent('a/b')}/share`;
  const named = `${path}?project_id=${project_id}`;
  expect((await ask(api.url, 'GET', named)).json).toEqual({});
  const { share_token: token } = (await ask(api.url, 'POST', path, { project_id })).json;
  expect((await ask(api.url, 'POST', path, { project_id })).json).toEqual({ share_token: token });
  expect((await ask(api.url, 'GET', named)).json).toEqual({ share_token: token });
  expect((await ask(api.url, 'POST', '/api/v2/threads/none/share', { project_id })).status).toBe(404);
  const second = await turn('a/b');
  const opened = await ask(
    api.url,
    'POST',
    `/api/v2/public/${token}/runs/query`,
    { selects: ['NAME', 'TRACE_ID'] },
    ANYONE,
  );
  expect(
    opened.json.items.map((run: { name: string; trace_id: string }) => [run.name, run.trace_id]),
  ).toEqual(
    [first, second].flatMap((root) => [
      ['turn', root],
      ['call', root],
    ]),
  );
  const read = (run: string) => ask(api.url, 'GET', `/public/${token}/${run}`, undefined, ANYONE);
  expect((await read('run')).json.id).toBe(second);
  expect((await read(`run/${strange}`)).status).toBe(404);
  await ask(api.url, 'POST', '/feedback', { run_id: first, key: 'good', score: 1 });
  expect((await read('feedback')).json).toMatchObject([{ run_id: first, key: 'good' }]);
  expect((await ask(api.url, 'DELETE', named)).status).toBe(204);
  expect((await read('run')).status).toBe(404);
});

test('pages through a large shared trace in tree order', async () => {
  const ids = await logTrace(150);
  const { share_token } = (await ask(api.url, 'POST', `/api/v2/runs/${ids[0]}/share`, {})).json;
  const query = async (body: object) =>
    (await ask(api.url, 'POST', `/public/${share_token}/runs/query`, body, ANYONE)).json;
  const first = await query({});
  const second = await query({ cursor: first.cursors.next });
  expect([...first.runs, ...second.runs].map(({ id }: { id: string }) => id)).toEqual(ids);
  expect(second.cursors.next).toBeNull();
  expect(await client.listSharedRuns(share_token)).toHaveLength(151);
  const few = await query({ filter: 'eq(name, "child 7")', select: ['name', 'outputs'] });
  expect(few.runs).toEqual([expect.objectContaining({ id: ids[8], name: 'child 7', outputs: null })]);
  expect(few.runs[0]).not.toHaveProperty('inputs');
  expect((await query({ filter: `search("${ids[0]}")`, limit: 2 })).runs).toHaveLength(2);
  expect((await query({ filter: 'eq(name, "nothing")' })).runs).toEqual([]);
  expect((await query({ trace: randomUUID() })).runs).toHaveLength(100);

  const v2 = `/api/v2/public/${share_token}`;
  const chosen = { selects: ['NAME', 'INPUTS', 'IS_ROOT'] };
  const whole = await ask(api.url, 'POST', `${v2}/runs/query`, chosen, ANYONE);
  const rest = await ask(
    api.url,
    'POST',
    `${v2}/runs/query`,
    { ...chosen, cursor: whole.json.next_cursor },
    ANYONE,
  );
  expect(rest.json.next_cursor).toBeNull();
  expect([...whole.json.items, ...rest.json.items].map(({ id }) => id)).toEqual(ids);
  expect(whole.json.items[0]).toEqual({
    id: ids[0],
    name: 'root',
    inputs: { secret: ids[0] },
    is_root: true,
  });
  const one = await ask(api.url, 'GET', `${v2}/run/${ids[1]}?selects=NAME`, undefined, ANYONE);
  expect(one.json).toEqual({ id: ids[1], name: 'child 0' });
  const [outside] = (await logTrace()) as [string];
  expect((await ask(api.url, 'GET', `${v2}/run/${outside}`, undefined, ANYONE)).status).toBe(404);
  expect((await ask(api.url, 'POST', `/api/v2/public/${randomUUID()}/runs/query`, {}, ANYONE)).status).toBe(
    404,
  );
  const { json } = await ask(api.url, 'GET', `/api/v2/runs/${ids[1]}/url`);
  expect(json.url).toMatch(new RegExp(`^${api.url}/projects/[0-9a-f-]{36}/runs/${ids[1]}$`));
  const strange = await ask(api.url, 'POST', `/public/${share_token}/runs/query`, { cursor: '§' }, ANYONE);
  expect(strange.status).toBe(400);
  expect((await ask(api.url, 'DELETE', `/api/v2/runs/${ids[0]}/share`, {})).status).toBe(204);
  expect((await ask(api.url, 'GET', `/public/${share_token}/run`, undefined, ANYONE)).status).toBe(404);
});
