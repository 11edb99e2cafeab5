import { expect, test } from '@jest/globals';
import { as, GUARDED } from '../support/guarded.ts';
import { useApi } from '../support/use-api.ts';

const api = useApi({ config: GUARDED });
const [alice, bob] = [as(api, 'alice'), as(api, 'bob')];

test("a graph calls its server without a URL, with exactly the permissions of its run's user", async () => {
  const { json: hers } = await alice.post('/threads');
  const { json: his } = await bob.post('/threads');
  const call = (thread_id: string) =>
    alice.post('/runs/wait', { assistant_id: 'insider', input: { thread_id } });

  const { told } = (await call(hers.thread_id)).json;
  expect(told).toMatchObject({
    thread: { thread_id: hers.thread_id },
    made: { owner: 'alice', made_by: 'graph' },
    run: { text: 'alone' },
    stranger: { owner: 'bob' },
    own: 'alice',
  });
  expect(new Set(told.found)).toEqual(new Set(['alice']));
  expect(told.streamed).toEqual(expect.arrayContaining(['metadata', 'values']));

  expect((await call(his.thread_id)).json.told.thread).toMatch(/404/);
  expect(api.server.logs()).toMatch(
    /"asked_for":"[^"]+".*"run_id":"[^"]+".*"langgraph_node":"call".*"calling the server"/,
  );
});

test('a custom route calls the server with the credential it forwards, or none', async () => {
  const { json: mine } = await as(api, 'rita').post('/threads/count', {});
  expect((await as(api, 'rita').get('/custom/threads')).json).toBe(mine);
  expect((await as(api).get('/custom/threads')).json.refused).toMatch(/401/);
  expect((await as(api, 'rita').get('/custom/threads?bare=1')).json.refused).toMatch(/401/);
});
