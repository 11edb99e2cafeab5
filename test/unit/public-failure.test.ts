import { expect, test } from '@jest/globals';
import { publicFailure, scrub } from '../../src/agent-server/runs/public-failure.ts';

class VendorError extends Error {}

test('built-in errors keep their message', () => {
  expect(publicFailure(new TypeError('boom'))).toEqual({ error: 'TypeError', message: 'boom' });
});

test('errors of other classes keep only their name', () => {
  expect(publicFailure(new VendorError('secret plans'))).toEqual({
    error: 'VendorError',
    message: 'An internal error occurred',
  });
});

test('something thrown that is no error is an Error', () => {
  expect(publicFailure('nope')).toEqual({ error: 'Error', message: 'nope' });
});

test.each([
  ['cannot reach postgresql://app:hunter2@db.internal:5432/prod now', 'hunter2'],
  ['GET https://user:pw@example.com/x failed', 'pw@'],
  ['connect ECONNREFUSED 10.0.12.7:5432', '10.0.12.7'],
  ['getaddrinfo ENOTFOUND db.example.com', 'db.example.com'],
  ['ENOENT: no such file, open /srv/agents/secret/key.pem', '/srv/agents'],
  ['fetch of http://models:8080/v1/chat failed', 'models'],
  ['ENOENT: open file:///srv/agents/secret/key.pem', '/srv/agents'],
  ['upstream redis.prod.svc.cluster.local:6379 closed', 'svc.cluster'],
])('%s loses its secret', (message, secret) => {
  expect(scrub(message)).not.toContain(secret);
});

test('where the engine explains an error is kept', () => {
  const message =
    'Recursion limit of 25 reached. See: https://docs.langchain.com/oss/javascript/langgraph/errors/GRAPH_RECURSION_LIMIT/ now';
  expect(scrub(message)).toBe(message);
});
