import { expect, test } from '@jest/globals';
import { publicFailure } from '../../src/platform/redaction/public-failure.ts';
import { SECRET_MESSAGES } from '../support/error-corpus.ts';

class VendorError extends Error {}

test('built-in errors keep their message', () => {
  expect(publicFailure(new TypeError('boom'))).toEqual({ error: 'TypeError', message: 'boom' });
});

test('errors of other classes keep only their name', () => {
  const hidden = { error: 'VendorError', message: 'An internal error occurred' };
  expect(publicFailure(new VendorError('secret plans'))).toEqual(hidden);
  const nameless = new (class extends Error {})('secret plans');
  expect(publicFailure(nameless)).toEqual({ ...hidden, error: 'Error' });
});

test('a thrown value that is no error becomes an Error', () => {
  expect(publicFailure('nope')).toEqual({ error: 'Error', message: 'nope' });
  expect(publicFailure(null)).toEqual({ error: 'Error', message: 'null' });
});

test('a value that cannot be converted to text is still a failure', () => {
  const bare = Object.create(null) as object;
  expect(publicFailure(bare)).toEqual({ error: 'Error', message: 'An internal error occurred' });
  expect(publicFailure(Object.assign(bare, { message: 'boom' }))).toEqual({
    error: 'Error',
    message: 'boom',
  });
});

test('neither message nor class of a failure contains a secret', () => {
  for (const [message, ...hidden] of SECRET_MESSAGES)
    for (const thrown of [message, new Error(message), Object.assign(new Error('boom'), { name: message })])
      for (const secret of hidden) expect(JSON.stringify(publicFailure(thrown))).not.toContain(secret);
});
