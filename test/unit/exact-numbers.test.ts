import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { refuseInexactNumbers } from '../../src/platform/http/exact-numbers.ts';

const isRefused = (json: string): boolean => {
  try {
    refuseInexactNumbers(json);
    return false;
  } catch {
    return true;
  }
};

test.each([
  '9007199254740993',
  '-9007199254740993',
  '1e400',
  '-1E+400',
  '1e-400',
  '18446744073709551615',
  '18446744073709551616',
])('the number %s is refused wherever it is', (number) => {
  for (const json of [number, `[${number}]`, `{"a":{"b":[1,"x\\"",${number}]}}`, `{"a":1,"b":${number}}`])
    expect([json, isRefused(json)]).toEqual([json, true]);
  expect(isRefused(JSON.stringify({ text: number, list: [`say "${number}"`] }))).toBe(false);
});

test.each([
  '9007199254740992',
  '9007199254740994',
  '18446744073709552000',
  '1000000000000000000000000',
  '1e300',
  '1e-300',
  '0e999',
  '0.30000000000000004',
  '3.14159265358979323846',
])('the number %s is taken', (number) => expect(isRefused(`{"a":${number}}`)).toBe(false));

test('numbers written by JavaScript are never refused', () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => !isRefused(JSON.stringify(value))));
});

test('accepted integers are read exactly', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }),
      (value) => isRefused(String(value)) || BigInt(JSON.stringify(Number(value))) === value,
    ),
  );
});
