import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { as, GUARDED, type User } from '../support/guarded.ts';
import { until } from '../support/until.ts';
import { type Answer, useApi } from '../support/use-api.ts';

const api = useApi({ config: GUARDED });
const [alice, bob, rita, nobody] = [as(api, 'alice'), as(api, 'bob'), as(api, 'rita'), as(api)];

/** Objects a user has created, which no other user may access. */
interface Belongings {
  thread_id: string;
  run_id: string;
  checkpoint_id: string;
  assistant_id: string;
  /** A run that sleeps until it is cancelled. */
  busy: { thread_id: string; run_id: string };
  /** A finished run without a thread. */
  threadless: string;
  cron_id: string;
}

async function settleIn(user: User): Promise<Belongings> {
  const { json: thread } = await user.post('/threads');
  const { thread_id } = thread;
  await user.post(`/threads/${thread_id}/runs/wait`, { assistant_id: 'echo', input: { text: 'mine' } });
  const { json: runs } = await user.get(`/threads/${thread_id}/runs`);
  const { json: state } = await user.get(`/threads/${thread_id}/state`);
  const { json: assistant } = await user.post('/assistants', { graph_id: 'echo', name: 'Mine' });
  const { json: second } = await user.post('/threads');
  const { json: sleeping } = await user.post(`/threads/${second.thread_id}/runs`, {
    assistant_id: 'sleepy',
    input: { ms: 600_000 },
  });
  const { json: threadless } = await user.post('/runs', {
    assistant_id: 'echo',
    on_completion: 'keep',
    stream_resumable: true,
  });
  const { json: cron } = await user.post(`/threads/${thread_id}/runs/crons`, {
    assistant_id: 'echo',
    schedule: '0 9 1 1 *',
  });
  return {
    thread_id,
    run_id: runs[0].run_id,
    checkpoint_id: state.checkpoint.checkpoint_id,
    assistant_id: assistant.assistant_id,
    busy: { thread_id: second.thread_id, run_id: sleeping.run_id },
    threadless: threadless.run_id,
    cron_id: cron.cron_id,
  };
}

/** A request to a user's object, with the response its owner gets. Destructive ones come last. */
const OPERATIONS: [
  name: string,
  (user: User, of: Belongings) => Promise<Answer>,
  owner: number,
  other?: number,
][] = [
  ['get a thread', (u, { thread_id }) => u.get(`/threads/${thread_id}`), 200],
  ['get a thread with its ttl', (u, { thread_id }) => u.get(`/threads/${thread_id}?include=ttl`), 200],
  ['take the id of a thread', (u, { thread_id }) => u.post('/threads', { thread_id }), 409, 409],
  [
    'take over a thread by creating it',
    (u, { thread_id }) => u.post('/threads', { thread_id, if_exists: 'do_nothing' }),
    200,
    409,
  ],
  ['patch a thread', (u, { thread_id }) => u.patch(`/threads/${thread_id}`, { metadata: { x: 1 } }), 200],
  ['change a ttl', (u, { thread_id }) => u.patch(`/threads/${thread_id}`, { ttl: { ttl: 60 } }), 200],
  ['get state', (u, { thread_id }) => u.get(`/threads/${thread_id}/state`), 200],
  [
    'get state at a checkpoint',
    (u, { thread_id, checkpoint_id }) => u.get(`/threads/${thread_id}/state/${checkpoint_id}`),
    200,
  ],
  [
    'post state at a checkpoint',
    (u, { thread_id, checkpoint_id }) =>
      u.post(`/threads/${thread_id}/state/checkpoint`, { checkpoint: { checkpoint_id } }),
    200,
  ],
  ['get history', (u, { thread_id }) => u.get(`/threads/${thread_id}/history`), 200],
  ['search history', (u, { thread_id }) => u.post(`/threads/${thread_id}/history`, {}), 200],
  ['measure storage', (u, { thread_id }) => u.get(`/threads/${thread_id}/storage`), 200],
  [
    'update state',
    (u, { thread_id }) => u.post(`/threads/${thread_id}/state`, { values: { text: 'new' } }),
    200,
  ],
  ['copy a thread', (u, { thread_id }) => u.post(`/threads/${thread_id}/copy`), 200],
  ['list runs', (u, { thread_id }) => u.get(`/threads/${thread_id}/runs`), 200],
  ['get a run', (u, { thread_id, run_id }) => u.get(`/threads/${thread_id}/runs/${run_id}`), 200],
  ['join a run', (u, { thread_id, run_id }) => u.get(`/threads/${thread_id}/runs/${run_id}/join`), 200],
  [
    'list the webhooks of a run',
    (u, { thread_id, run_id }) => u.get(`/threads/${thread_id}/runs/${run_id}/webhook-deliveries`),
    200,
  ],
  [
    'retry a webhook of a run',
    (u, { thread_id, run_id }) =>
      u.post(`/threads/${thread_id}/runs/${run_id}/webhook-deliveries/${run_id}/retry`),
    // The run has none.
    404,
  ],
  [
    'stream a run that exists',
    (u, { thread_id, run_id }) => u.get(`/threads/${thread_id}/runs/${run_id}/stream`),
    200,
  ],
  ['stream a run without a thread', (u, { threadless }) => u.get(`/runs/${threadless}/stream`), 200],
  [
    'run on a thread',
    (u, { thread_id }) => u.post(`/threads/${thread_id}/runs`, { assistant_id: 'echo', input: {} }),
    200,
  ],
  [
    'run on a thread and make it if it is not there',
    (u, { thread_id }) =>
      u.post(`/threads/${thread_id}/runs`, { assistant_id: 'echo', input: {}, if_not_exists: 'create' }),
    200,
  ],
  [
    'run and stream on a thread',
    (u, { thread_id }) => u.post(`/threads/${thread_id}/runs/stream`, { assistant_id: 'echo', input: {} }),
    200,
  ],
  [
    'run and wait on a thread',
    (u, { thread_id }) => u.post(`/threads/${thread_id}/runs/wait`, { assistant_id: 'echo', input: {} }),
    200,
  ],
  ['run an assistant', (u, { assistant_id }) => u.post('/runs/wait', { assistant_id, input: {} }), 200],
  ['batch an assistant', (u, { assistant_id }) => u.post('/runs/batch', [{ assistant_id, input: {} }]), 200],
  ['get an assistant', (u, { assistant_id }) => u.get(`/assistants/${assistant_id}`), 200],
  ['draw an assistant', (u, { assistant_id }) => u.get(`/assistants/${assistant_id}/graph`), 200],
  ['get schemas', (u, { assistant_id }) => u.get(`/assistants/${assistant_id}/schemas`), 200],
  ['get subgraphs', (u, { assistant_id }) => u.get(`/assistants/${assistant_id}/subgraphs`), 200],
  ['list versions', (u, { assistant_id }) => u.post(`/assistants/${assistant_id}/versions`, {}), 200],
  ['patch an assistant', (u, { assistant_id }) => u.patch(`/assistants/${assistant_id}`, { name: 'N' }), 200],
  [
    'set a version',
    (u, { assistant_id }) => u.post(`/assistants/${assistant_id}/latest`, { version: 1 }),
    200,
  ],
  [
    'take over an assistant by creating it',
    (u, { assistant_id }) =>
      u.post('/assistants', { assistant_id, graph_id: 'echo', if_exists: 'do_nothing' }),
    200,
    409,
  ],
  [
    'a cron of a thread',
    (u, { thread_id }) =>
      u.post(`/threads/${thread_id}/runs/crons`, { assistant_id: 'echo', schedule: '0 9 1 1 *' }),
    200,
  ],
  [
    'a cron of an assistant',
    (u, { assistant_id }) => u.post('/runs/crons', { assistant_id, schedule: '0 9 1 1 *' }),
    200,
  ],
  ['get a cron', (u, { cron_id }) => u.get(`/runs/crons/${cron_id}`), 200],
  ['patch a cron', (u, { cron_id }) => u.patch(`/runs/crons/${cron_id}`, { enabled: false }), 200],
  ['trigger a cron', (u, { cron_id }) => u.post(`/runs/crons/${cron_id}/trigger`), 200],
  ['delete a cron', (u, { cron_id }) => u.delete(`/runs/crons/${cron_id}`), 204],
  [
    'cancel runs by their ids',
    (u, { busy }) => u.post('/runs/cancel', { thread_id: busy.thread_id, run_ids: [busy.run_id] }),
    204,
  ],
  [
    'cancel a run',
    (u, { busy }) => u.post(`/threads/${busy.thread_id}/runs/${busy.run_id}/cancel?wait=true`),
    // Its owner has cancelled it by its id above.
    404,
  ],
  ['delete a run', (u, { thread_id, run_id }) => u.delete(`/threads/${thread_id}/runs/${run_id}`), 204],
  ['delete an assistant', (u, { assistant_id }) => u.delete(`/assistants/${assistant_id}`), 204],
  ['delete a thread', (u, { thread_id }) => u.delete(`/threads/${thread_id}`), 204],
];

describe("another user's resources", () => {
  let hers: Belongings;
  beforeAll(async () => {
    hers = await settleIn(alice);
  });

  test.each(OPERATIONS)('%s: refused without a credential', async (_name, ask) => {
    const { status, json, headers } = await ask(nobody, hers);
    expect([status, json, headers.get('www-authenticate')]).toEqual([
      401,
      { detail: 'Who are you?' },
      'Bearer',
    ]);
  });

  test.each(OPERATIONS)('%s: refused for another user', async (_name, ask, _owner, other = 404) => {
    const { status, json } = await ask(bob, hers);
    expect([status, Object.keys(json)]).toEqual([other, ['detail']]);
  });

  test("another user's thread stream ends immediately", async () => {
    expect((await bob.get(`/threads/${hers.thread_id}/stream`)).status).toBe(404);
    expect((await nobody.get(`/threads/${hers.thread_id}/stream`)).status).toBe(401);
  });

  test('a handler can narrow a cron search by metadata', async () => {
    const create = { assistant_id: 'echo', schedule: '0 9 1 1 *', metadata: { kind: 'yearly' } };
    const { json: cron } = await alice.post('/runs/crons', create);
    for (const [user, metadata, found] of [
      [alice, { kind: 'yearly' }, [cron.cron_id]],
      [bob, {}, []],
    ] as const) {
      const { json } = await user.post('/runs/crons/search', { metadata });
      expect(json.map(({ cron_id }: any) => cron_id)).toEqual(found);
      expect((await user.post('/runs/crons/count', { metadata })).json).toBe(found.length);
    }
    expect((await alice.delete(`/runs/crons/${cron.cron_id}`)).status).toBe(204);
  });

  test('bulk operations and searches skip them', async () => {
    const before = await bob.post('/threads');
    const mine = before.json.thread_id;
    expect((await bob.post('/threads/search', {})).json.map((t: any) => t.thread_id)).toEqual([mine]);
    expect((await bob.post('/threads/count', {})).json).toBe(1);
    const named = await bob.post('/threads/search', { ids: [hers.thread_id], metadata: { owner: 'alice' } });
    expect(named.json).toEqual([]);
    expect((await bob.post('/assistants/search', {})).json).toEqual([]);
    expect((await bob.post('/assistants/count', {})).json).toBe(0);
    expect((await bob.post('/runs/cancel', { status: 'all' })).status).toBe(404);
    expect((await bob.post('/runs/crons/search', {})).json).toEqual([]);
    expect((await bob.post('/runs/crons/count', {})).json).toBe(0);
    expect((await bob.post('/runs/search', {})).json).toEqual([]);
    expect((await bob.post('/runs/search', { ids: [hers.run_id], thread_id: hers.thread_id })).json).toEqual(
      [],
    );
    expect((await bob.post('/runs/stats', {})).json.n_runs).toBe(0);
    expect((await bob.get(`/runs/stats?thread_id=${hers.thread_id}`)).json.n_runs).toBe(0);
    const ids = [hers.thread_id, hers.busy.thread_id, mine];
    for (const strategy of ['keep_latest', 'delete']) {
      const { json } = await bob.post('/threads/prune', { thread_ids: ids, strategy });
      expect(json).toEqual({ pruned_count: 1 });
    }
    expect((await alice.get(`/threads/${hers.thread_id}`)).status).toBe(200);
    const busy = async () => (await alice.get(`/threads/${hers.busy.thread_id}/runs`)).json[0].status;
    await until('her run has begun', async () => (await busy()) !== 'pending');
    expect(await busy()).toBe('running');
  });

  test("run search returns only the owner's runs, including threadless ones", async () => {
    const { json: found } = await alice.post('/runs/search', { limit: 100 });
    const ids = found.map(({ run_id }: any) => run_id);
    expect(ids).toEqual(expect.arrayContaining([hers.run_id, hers.busy.run_id, hers.threadless]));
    expect((await nobody.post('/runs/search', {})).status).toBe(401);
    expect((await nobody.get('/runs/stats')).status).toBe(401);
  });

  test('the event protocol does not reach them', async () => {
    const path = `/threads/${hers.thread_id}`;
    const start = { id: 1, method: 'run.start', params: { assistant_id: 'echo', input: {} } };
    const read = { id: 2, method: 'state.get', params: {} };
    for (const command of [start, read]) {
      expect((await nobody.post(`${path}/commands`, command)).status).toBe(401);
      const { status, json } = await bob.post(`${path}/commands`, command);
      expect([status, json.type]).not.toEqual([200, 'success']);
      expect((await alice.post(`${path}/commands`, command)).json.type).toBe('success');
    }
    expect((await bob.post(`${path}/stream/events`, { channels: ['values'] })).status).toBe(404);
    expect((await nobody.post(`${path}/stream/events`, { channels: ['values'] })).status).toBe(401);
  });

  test('deleting an assistant with its threads leaves the threads of others', async () => {
    const { json: own } = await bob.post('/assistants', { graph_id: 'echo' });
    const path = `/threads/${hers.thread_id}/runs/wait`;
    await alice.post(path, { assistant_id: 'echo', input: {} });
    const { json: thread } = await bob.post('/threads');
    await bob.post(`/threads/${thread.thread_id}/runs/wait`, { assistant_id: own.assistant_id, input: {} });
    expect((await bob.delete(`/assistants/${own.assistant_id}?delete_threads=true`)).status).toBe(204);
    expect((await bob.get(`/threads/${thread.thread_id}`)).status).toBe(404);
    expect((await alice.get(`/threads/${hers.thread_id}`)).status).toBe(200);
  });

  test('a shared thread can only be read and found', async () => {
    const shared = await alice.post('/threads', { metadata: { shared_with: ['bob', 'rita'] } });
    const path = `/threads/${shared.json.thread_id}`;
    expect((await bob.get(path)).status).toBe(200);
    expect((await bob.get(`${path}/state`)).status).toBe(200);
    expect((await bob.post('/threads/search', { ids: [shared.json.thread_id] })).json).toHaveLength(1);
    expect((await bob.patch(path, { metadata: { owner: 'bob' } })).status).toBe(404);
    expect((await bob.post(`${path}/runs`, { assistant_id: 'echo' })).status).toBe(404);
    expect((await bob.delete(path)).status).toBe(404);
  });

  test('a reader without write access cannot stop a run by disconnecting', async () => {
    const { json: shared } = await alice.post('/threads', { metadata: { shared_with: ['bob'] } });
    const { json: run } = await alice.post(`/threads/${shared.thread_id}/runs`, { assistant_id: 'echo' });
    const path = `/threads/${shared.thread_id}/runs/${run.run_id}`;
    for (const read of [`${path}/join`, `${path}/stream`, `/runs/${run.run_id}/stream`]) {
      expect((await bob.get(read)).status).toBe(200);
      expect((await bob.get(`${read}?cancel_on_disconnect=true`)).status).toBe(404);
      expect((await alice.get(`${read}?cancel_on_disconnect=true`)).status).toBe(200);
    }
  });

  test.each(OPERATIONS)('%s: allowed for the owner', async (_name, ask, owner) => {
    expect((await ask(alice, hers)).status).toBe(owner);
  });
});

test('read-only users get 403, and refused requests leave nothing behind', async () => {
  const thread_id = randomUUID();
  const refusals = [
    await rita.post('/threads', { thread_id }),
    await rita.post(`/threads/${thread_id}/runs`, { assistant_id: 'echo', if_not_exists: 'create' }),
    await rita.post('/runs/wait', { assistant_id: 'echo' }),
    await rita.post('/assistants', { graph_id: 'echo' }),
  ];
  expect(refusals.map(({ status, json }) => [status, json])).toEqual(
    refusals.map(() => [403, { detail: 'Forbidden' }]),
  );
  expect((await rita.get(`/threads/${thread_id}`)).status).toBe(404);
});

test('handlers can set metadata: thread, run and assistant have their owner', async () => {
  const { json: thread } = await alice.post('/threads', { metadata: { owner: 'bob' } });
  expect(thread.metadata).toEqual({ owner: 'alice' });
  const { json: run } = await alice.post(`/threads/${thread.thread_id}/runs`, {
    assistant_id: 'echo',
    metadata: { owner: 'bob', kept: 1 },
  });
  expect(run.metadata).toMatchObject({ owner: 'alice', kept: 1 });
  const { json: assistant } = await alice.post('/assistants', {
    graph_id: 'echo',
    metadata: { owner: 'bob' },
  });
  expect(assistant.metadata).toEqual({ owner: 'alice' });
  const id = randomUUID();
  await alice.post(`/threads/${id}/runs/wait`, { assistant_id: 'echo', if_not_exists: 'create' });
  expect((await alice.get(`/threads/${id}`)).json.metadata.owner).toBe('alice');
  const { json: copy } = await alice.post(`/threads/${id}/copy`);
  expect(copy.metadata.owner).toBe('alice');
});

test('two users who create the same thread concurrently never share it', async () => {
  for (let round = 0; round < 10; round++) {
    const id = randomUUID();
    const body = { assistant_id: 'echo', if_not_exists: 'create' };
    const both = await Promise.all([alice, bob].map((user) => user.post(`/threads/${id}/runs`, body)));
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200, 404]));
  }
});

test('handlers choose the namespace of store items', async () => {
  await alice.put('/store/items', { namespace: ['notes'], key: 'k', value: { of: 'alice' } });
  await bob.put('/store/items', { namespace: ['notes'], key: 'k', value: { of: 'bob' } });
  const read = (user: User) => user.get('/store/items?namespace=notes&key=k');
  expect((await read(alice)).json).toMatchObject({ namespace: ['alice', 'notes'], value: { of: 'alice' } });
  expect((await read(bob)).json.value).toEqual({ of: 'bob' });
  expect((await bob.get('/store/items?namespace=alice.notes&key=k')).json).toBeNull();
  expect((await bob.post('/store/items/search', { namespace_prefix: [] })).json.items).toHaveLength(1);
  expect((await bob.post('/store/namespaces', {})).json).toEqual({ namespaces: [['bob', 'notes']] });
  await bob.delete('/store/items', { namespace: ['notes'], key: 'k' });
  expect((await read(alice)).json.value).toEqual({ of: 'alice' });
});

test.each([
  ['label', 'labelled', (owner: string) => ({ namespace: ['labelled', owner, 'notes'], value: { n: 1 } })],
  ['field', 'owned', (owner: string) => ({ namespace: ['owned', `of-${owner}`], value: { owner, n: 1 } })],
])(
  'a filter over a %s keeps store items apart for every operation',
  async (_kind, root, itemOf: (owner: string) => { namespace: string[]; value: object }) => {
    const [hers, his] = [itemOf('alice'), itemOf('bob')];
    await alice.put('/store/items', { ...hers, key: 'k' });
    await bob.put('/store/items', { ...his, key: 'k' });
    const address = `/store/items?namespace=${hers.namespace.join('.')}&key=k`;

    const reads = [await alice.get(address), await bob.get(address)];
    expect(reads.map(({ status, json }) => [status, json.value ?? json])).toEqual([
      [200, hers.value],
      [404, { detail: 'Item not found' }],
    ]);
    for (const value of [hers.value, { ...his.value, n: 2 }])
      expect((await bob.put('/store/items', { ...hers, key: 'k', value })).status).toBe(404);
    expect((await bob.put('/store/items', { ...hers, key: 'new' })).status).toBe(403);
    expect((await bob.delete('/store/items', { namespace: hers.namespace, key: 'k' })).status).toBe(404);
    expect((await bob.delete('/store/items', { namespace: hers.namespace, key: 'none' })).status).toBe(403);
    expect((await alice.get(address)).json.value).toEqual(hers.value);

    const found = await bob.post('/store/items/search', { namespace_prefix: [root] });
    expect(found.json.items.map((item: any) => item.namespace)).toEqual([his.namespace]);
    const listed = await bob.post('/store/namespaces', { prefix: [root] });
    expect(listed.json).toEqual({ namespaces: [his.namespace] });
    const next = await bob.post('/store/items/search', { namespace_prefix: [root], offset: 1 });
    expect(next.json.items).toEqual([]);

    expect((await alice.put('/store/items', { ...hers, key: 'k' })).status).toBe(204);
    expect((await alice.delete('/store/items', { namespace: hers.namespace, key: 'k' })).status).toBe(204);
    expect((await alice.get(address)).json).toBeNull();
  },
);

test("a value's field cannot impersonate the namespace or key in a filter", async () => {
  const item = { namespace: ['labelled', 'alice'], key: 'k', value: { namespace: ['labelled', 'bob'] } };
  expect((await alice.put('/store/items', item)).status).toBe(204);
  const found = await bob.post('/store/items/search', { namespace_prefix: ['labelled'] });
  expect(JSON.stringify(found.json)).not.toContain('alice');
  expect((await bob.get('/store/items?namespace=labelled.alice&key=k')).status).toBe(404);
});

test('two users who create the same item concurrently never overwrite each other', async () => {
  for (let round = 0; round < 10; round++) {
    const put = (user: User, owner: string) =>
      user.put('/store/items', { namespace: ['owned'], key: `race-${round}`, value: { owner } });
    const statuses = (await Promise.all([put(alice, 'alice'), put(bob, 'bob')])).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([204, 404]));
  }
});

test("the project's HTTP errors keep their status; other errors reveal nothing", async () => {
  const search = (metadata: object) => alice.post('/assistants/search', { metadata });
  const { status, json } = await search({ teapot: true });
  expect([status, json]).toEqual([418, { detail: 'I am a teapot' }]);
  for (const wrong of [await search({ fall: true }), await search({ any_of_one: true })]) {
    expect([wrong.status, wrong.json]).toEqual([500, { detail: 'Internal Server Error' }]);
  }
  const broken = await as(api, 'broken').get('/assistants/echo');
  expect([broken.status, broken.json]).toEqual([401, { detail: 'Unauthorized' }]);
});
