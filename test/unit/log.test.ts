import { expect, test } from '@jest/globals';
import { createLog } from '../../src/platform/log.ts';

/** An error as logged by the log's own serializer. */
function logged(error: Error): object {
  const lines: string[] = [];
  const log = createLog('warn', false);
  const stream = (log as unknown as Record<symbol, { write: (line: string) => void }>)[
    Object.getOwnPropertySymbols(log).find((symbol) => String(symbol) === 'Symbol(pino.stream)')!
  ]!;
  stream.write = (line) => void lines.push(line);
  log.warn({ err: error }, 'it failed');
  return (JSON.parse(lines[0]!) as { err: object }).err;
}

test('an error is logged with its cause and code, without extra properties of drivers', () => {
  const cause = Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED' });
  const error = Object.assign(new TypeError('query failed', { cause }), {
    client: { password: 'secret', host: 'db.internal' },
  });
  expect(logged(error)).toEqual({
    type: 'TypeError',
    message: 'query failed',
    stack: expect.stringContaining('query failed'),
    cause: {
      type: 'Error',
      message: 'connection refused',
      code: 'ECONNREFUSED',
      stack: expect.any(String),
    },
  });
});
