import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { openDatabase } from '../../src/platform/db/database.ts';
import { packageRoot } from '../../src/platform/package-root.ts';
import { useApi } from '../support/use-api.ts';

const config = fileURLToPath(new URL('test/fixtures/graphs/encrypted.json', packageRoot));
const api = useApi({ config, env: { TEST_ENCRYPT: 'all' } });

test('a project that encrypts everything works like any other', async () => {
  const metadata = { owner: 'ada', tags: ['x'] };
  // With a space, which ciphers as they are stored here never have.
  const context = { greeting: 'Salut toi' };
  const { json: assistant } = await api.post('/assistants', { graph_id: 'approval', metadata, context });
  expect(assistant).toMatchObject({ metadata, context, config: { configurable: context } });
  await api.patch(`/assistants/${assistant.assistant_id}`, { metadata: { more: 1 } });
  const versions = (await api.post(`/assistants/${assistant.assistant_id}/versions`, {})).json;
  expect(versions.map((version: { metadata: object }) => version.metadata)).toEqual([
    { ...metadata, more: 1 },
    metadata,
  ]);

  const { thread_id } = (await api.post('/threads', { metadata: { about: 'tea' } })).json;
  const send = (body: object) =>
    api.post(`/threads/${thread_id}/runs/wait`, { assistant_id: assistant.assistant_id, ...body });
  const asked = await send({ input: { topic: 'tea' }, metadata: { mine: true } });
  expect(asked.json.__interrupt__[0].value).toEqual({ question: 'Publish?', draft: 'About tea' });
  expect((await api.get(`/threads/${thread_id}`)).json).toMatchObject({
    status: 'interrupted',
    metadata: { about: 'tea', graph_id: 'approval', assistant_id: assistant.assistant_id },
  });
  const answered = await send({ command: { resume: 'yes' } });
  expect(answered.json).toMatchObject({ decision: 'yes', published: true });
  const [state] = (await api.post(`/threads/${thread_id}/history`, {})).json;
  expect(state).toMatchObject({ metadata: { graph_id: 'approval', source: 'loop', about: 'tea' } });
  expect((await api.post('/threads/search', { metadata: { graph_id: 'approval' } })).json).toHaveLength(1);
  const runs = (await api.get(`/threads/${thread_id}/runs`)).json;
  expect(runs[1].metadata).toMatchObject({ mine: true, owner: 'ada' });
  await api.delete(`/threads/${thread_id}/runs/${runs[0].run_id}`);
  expect((await api.get(`/threads/${thread_id}`)).json).toMatchObject({ status: 'interrupted' });
  const cut = { assistant_id: 'echo', input: { text: 'x' }, multitask_strategy: 'rollback' };
  expect((await send(cut)).json).toMatchObject({ echo: 'x' });

  const db = openDatabase({ url: api.databaseUrl, poolSize: 1 });
  const { rows } = await db.query<{ whole: string }>(
    `select thread::text as whole from thread union all select run::text from run union all
     select checkpoint::text from checkpoint union all select checkpoint_value::text from checkpoint_value union all
     select checkpoint_write::text from checkpoint_write union all select assistant_version::text from assistant_version`,
  );
  await db.end();
  const clear = rows.filter(({ whole }) => /About tea|Publish\?|Salut toi|"ada"|"yes"/.test(whole));
  expect(clear).toEqual([]);
});
