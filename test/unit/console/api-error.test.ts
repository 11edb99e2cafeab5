import { expect, test } from '@jest/globals';
import { isSignedOut, refusal } from '../../../console/src/api/api-error.ts';

const faultsOf = (detail: unknown) => refusal(422, JSON.stringify({ detail })).faults;

test('errors have a location, from a list or from text', () => {
  const listed = [{ loc: ['body', 'name'], msg: 'Value must NOT have fewer than 1 characters', type: 'x' }];
  expect(faultsOf(listed)).toEqual([{ loc: ['body', 'name'], msg: 'must not be empty', type: 'x' }]);
  expect(faultsOf('body.name must NOT have fewer than 1 characters; body.spec.cpu is required')).toEqual([
    { loc: ['body', 'name'], msg: 'must not be empty' },
    { loc: ['body', 'spec', 'cpu'], msg: 'is required' },
  ]);
});

test('a text without a location is shown unchanged', () => {
  const text = 'body.name is odd; try another';
  expect(refusal(422, JSON.stringify({ detail: text }))).toMatchObject({ message: text, faults: [] });
  expect(refusal(502, '<html>')).toMatchObject({ message: 'The server responded with 502', faults: [] });
});

test('the platform’s 401 ends the session, and an agent’s own does not', () => {
  const text = JSON.stringify({ detail: 'Unauthorized' });
  expect(isSignedOut(refusal(401, text))).toBe(true);
  expect(isSignedOut(refusal(401, text, new Headers({ 'x-slipway-revision': 'any' })))).toBe(false);
  expect(isSignedOut(refusal(403, text))).toBe(false);
});
