import { expect, test } from '@jest/globals';
import { refusal } from '../../../console/src/api/api-error.ts';

const faultsOf = (detail: unknown) => refusal(422, JSON.stringify({ detail })).faults;

test('what is wrong has its place, whether it comes as a list or as a text', () => {
  const listed = [{ loc: ['body', 'name'], msg: 'Value must NOT have fewer than 1 characters', type: 'x' }];
  expect(faultsOf(listed)).toEqual([{ loc: ['body', 'name'], msg: 'must not be empty', type: 'x' }]);
  expect(faultsOf('body.name must NOT have fewer than 1 characters; body.spec.cpu is required')).toEqual([
    { loc: ['body', 'name'], msg: 'must not be empty' },
    { loc: ['body', 'spec', 'cpu'], msg: 'is required' },
  ]);
});

test('a text that names no place is shown as it is', () => {
  const text = 'body.name is odd; try another';
  expect(refusal(422, JSON.stringify({ detail: text }))).toMatchObject({ message: text, faults: [] });
  expect(refusal(502, '<html>')).toMatchObject({ message: 'The server answered 502', faults: [] });
});
