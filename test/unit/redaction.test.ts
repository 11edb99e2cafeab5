import { expect, test } from '@jest/globals';
import { redact, redactLine } from '../../src/platform/redaction/redact.ts';
import { HARMLESS_MESSAGES, SECRET_MESSAGES } from '../support/error-corpus.ts';

test.each(SECRET_MESSAGES)('redacts secrets: %s', (message, ...hidden) => {
  for (const text of [
    message,
    `Error: ${message}`,
    JSON.stringify({ message }),
    `(${message})`,
    `${message}.`,
  ])
    for (const secret of hidden) expect(redact(text)).not.toContain(secret);
});

test.each(HARMLESS_MESSAGES)('%s stays as it is', (message) => {
  for (const text of [message, `Error: ${message}`, `(${message})`, `"${message}"`])
    expect(redact(text)).toBe(text);
});

test('redaction is idempotent', () => {
  for (const [message] of SECRET_MESSAGES) expect(redact(redact(message))).toBe(redact(message));
});

test('a log line keeps the files of a stack trace and loses the rest', () => {
  const line =
    'Error: postgres://a:hunter2@db/app\n    at run (file:///srv/app/agent.ts:3:9)\n    at /srv/app/b.js:1:2';
  expect(redactLine(line)).toBe(line.replace('postgres://a:hunter2@db/app', '[redacted url]'));
});

// A backtracking pattern would take hours on one of these.
const HOSTILE =
  `a. a- a: /a a@ a 1: 1. : x:// eyJaaaaa. sk- ;a= password= password=" password=' \\" token=; token=& a:a@ [a: _ C:\\`
    .split(' ')
    .concat([
      'api ',
      'password ',
      'Bearer ',
      'host "',
      'ENOTFOUND ',
      'lookup ',
      ' ',
      '\t',
      '-----BEGIN PRIVATE KEY-----',
    ]);

test.each(HOSTILE)('%j a hundred thousand times takes time in proportion', (piece) => {
  const text = piece.repeat(100_000);
  expect(typeof redact(`${text}!`)).toBe('string');
});
