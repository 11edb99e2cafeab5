import { expect, test } from '@jest/globals';
import { openDatabase } from '../../src/platform/db/database.ts';
import { useApi } from '../support/use-api.ts';

const api = useApi();

const rows = async (): Promise<number> => {
  const db = openDatabase({ url: api.databaseUrl, poolSize: 1 });
  const counts = await db.query<{ count: number }>(
    'select (select count(*) from run) + (select count(*) from thread) as count',
  );
  await db.end();
  return counts.rows[0]!.count;
};

test('a batch of any size is answered in order', async () => {
  const texts = [...Array(60).keys()].map(String);
  const { status, json } = await api.post(
    '/runs/batch',
    texts.map((text) => ({ assistant_id: 'echo', input: { text }, on_completion: 'keep' })),
  );
  expect(status).toBe(200);
  expect(json.map((run: { kwargs: { input: { text: string } } }) => run.kwargs.input.text)).toEqual(texts);
  const results = await Promise.all(
    json.map(({ thread_id, run_id }: { thread_id: string; run_id: string }) =>
      api.get(`/threads/${thread_id}/runs/${run_id}/join`),
    ),
  );
  expect(results.map(({ json: { echo } }) => echo)).toEqual(texts);
});

test('a batch with an invalid run leaves nothing behind', async () => {
  const before = await rows();
  const bodies = [{ assistant_id: 'echo' }, { assistant_id: crypto.randomUUID() }, { assistant_id: 'echo' }];
  const { status } = await api.post('/runs/batch', bodies);
  expect(status).toBe(404);
  expect(await rows()).toBe(before);
});
