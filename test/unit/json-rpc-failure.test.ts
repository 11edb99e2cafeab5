import { expect, jest, test } from '@jest/globals';
import { BadRequest, defineError, Unavailable } from '../../src/platform/errors.ts';
import { JsonRpcError } from '../../src/platform/http/json-rpc.ts';
import { rpcFailure, rpcFailureInBody } from '../../src/platform/http/json-rpc-failure.ts';

const Forbidden = defineError('Forbidden', 403, () => 'Not yours');

test('a failure keeps its code; other public failures become invalid params', () => {
  const known = new JsonRpcError(-32_001, 'Task not found');
  expect(rpcFailure(known, () => {})).toBe(known);
  expect(rpcFailure(new BadRequest('no'), () => {})).toMatchObject({ code: -32_602, message: 'no' });
});

test('permission and availability errors become HTTP statuses', () => {
  for (const error of [new Forbidden(), new Unavailable('later')])
    expect(() => rpcFailure(error, () => {})).toThrow(error);
});

test('other errors are logged and returned without their text', () => {
  const log = jest.fn();
  const error = new Error('connect to postgres://user:secret@db failed');
  for (const answer of [rpcFailure(error, log), rpcFailureInBody(new Unavailable('db at 10.0.0.1'), log)])
    expect(answer).toMatchObject({ code: -32_603, message: 'Internal error' });
  expect(log).toHaveBeenCalledTimes(2);
});
