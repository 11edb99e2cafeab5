import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { useApi } from '../support/use-api.ts';

const api = useApi();

const missing = randomUUID();
const cases: [
  name: string,
  method: 'get' | 'post' | 'delete',
  path: string,
  body: unknown,
  status: number,
][] = [
  ['no body', 'post', '/runs', undefined, 422],
  ['bad JSON', 'post', '/runs', '{"assistant_id":', 422],
  ['an integer that a double cannot hold', 'post', '/threads', '{"metadata":{"n":9007199254740993}}', 422],
  ['a number that would be infinite', 'post', '/runs', '{"assistant_id":"echo","input":1e400}', 422],
  ['no assistant', 'post', '/runs', {}, 422],
  ['an assistant that is no name and no id', 'post', '/runs', { assistant_id: 'nobody' }, 422],
  ['an unknown assistant id', 'post', '/runs', { assistant_id: randomUUID() }, 404],
  ['a thread id that is none', 'post', '/threads/7/runs', { assistant_id: 'echo' }, 422],
  ['an unknown thread', 'post', `/threads/${missing}/runs`, { assistant_id: 'echo' }, 404],
  ['an unknown thread, streaming', 'post', `/threads/${missing}/runs/stream`, { assistant_id: 'echo' }, 404],
  ['an unknown thread, waiting', 'post', `/threads/${missing}/runs/wait`, { assistant_id: 'echo' }, 404],
  [
    'an unknown stream mode',
    'post',
    '/runs/stream',
    { assistant_id: 'echo', stream_mode: ['lifecycle'] },
    422,
  ],
  ['an unknown strategy', 'post', '/runs', { assistant_id: 'echo', multitask_strategy: 'queue' }, 422],
  ['an unknown on_disconnect', 'post', '/runs/wait', { assistant_id: 'echo', on_disconnect: 'stay' }, 422],
  ['a negative delay', 'post', '/runs', { assistant_id: 'echo', after_seconds: -1 }, 422],
  ['a checkpoint that is none', 'post', '/runs', { assistant_id: 'echo', checkpoint: 'x' }, 422],
  ['resume without a thread', 'post', '/runs/wait', { assistant_id: 'echo', command: { resume: 1 } }, 400],
  [
    'configurable and context',
    'post',
    '/runs',
    { assistant_id: 'echo', config: { configurable: { a: 1 } }, context: { b: 1 } },
    422,
  ],
  [
    'a configurable checkpoint id that is none',
    'post',
    '/runs/wait',
    { assistant_id: 'echo', config: { configurable: { checkpoint_id: 'first' } } },
    422,
  ],
  ['an empty batch', 'post', '/runs/batch', [], 422],
  ['a run id that is none', 'get', `/threads/${missing}/runs/7`, undefined, 422],
  ['an unknown run', 'get', `/threads/${missing}/runs/${missing}`, undefined, 404],
  ['joining an unknown run', 'get', `/threads/${missing}/runs/${missing}/join`, undefined, 404],
  ['deleting an unknown run', 'delete', `/threads/${missing}/runs/${missing}`, undefined, 404],
  ['a limit that is no number', 'get', `/threads/${missing}/runs?limit=many`, undefined, 422],
  ['a limit that is too large', 'get', `/threads/${missing}/runs?limit=1001`, undefined, 422],
  ['an unknown field', 'get', `/threads/${missing}/runs?select=secrets`, undefined, 422],
  ['an unknown status', 'get', `/threads/${missing}/runs?status=bored`, undefined, 422],
  ['an unknown path', 'get', '/runs/nowhere/at/all', undefined, 404],
];

test.each(cases)('%s', async (_name, method, path, body, expected) => {
  const { status, json } = await (method === 'post' ? api.post(path, body) : api[method](path));
  expect({ status, json }).toEqual({ status: expected, json: { detail: expect.any(String) } });
});

test('error texts that clients rely on', async () => {
  expect((await api.post('/runs', '{"a":')).json.detail).toBe('Invalid JSON in request body');
  expect((await api.post('/runs', { assistant_id: 'echo', command: { resume: 1 } })).json.detail).toBe(
    'You must provide a thread_id when resuming.',
  );
  expect((await api.get('/nowhere')).json.detail).toBe('Not Found');
});

test('a wrong method gets the allowed ones; a trailing slash redirects', async () => {
  const put = await api.put('/runs/batch', []);
  expect([put.status, put.json.detail, put.headers.get('allow')]).toEqual([
    405,
    'Method Not Allowed',
    'POST',
  ]);
  const { json: thread } = await api.post('/threads', {});
  const slash = await api.get(`/threads/${thread.thread_id}/runs/`);
  expect([200, 307]).toContain(slash.status);
});
