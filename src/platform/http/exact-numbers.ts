import { InvalidRequest } from '../errors.ts';
import type { JsonRewriting } from './route-handler.ts';

const MAY_CHANGE = /\d{16}|\d[eE][+-]?\d{3}/;

/**
 * Rejects numbers that parsing would change: integers beyond 2^53 that a double cannot hold, and numbers that become
 * infinite or 0. Fractions are rounded as usual. Ignores invalid JSON, which the parser reports. Throws
 * InvalidRequest.
 */
export function refuseInexactNumbers(json: string): void {
  if (!MAY_CHANGE.test(json)) return;
  for (const literal of numbersOf(json)) {
    if (!MAY_CHANGE.test(literal) || isKept(literal)) continue;
    throw new InvalidRequest(
      `The number ${literal.slice(0, 60)} cannot be represented exactly; send it as a string`,
    );
  }
}

/** Rejects bodies with numbers that a double cannot hold. */
export const EXACT_NUMBERS: JsonRewriting = {
  prepare(json) {
    refuseInexactNumbers(json);
    return json;
  },
  finish: (answer) => answer,
};

function* numbersOf(json: string): Generator<string> {
  const next = /"|-?\d[\d.eE+-]*/g;
  for (let found = next.exec(json); found; found = next.exec(json)) {
    if (found[0] === '"') next.lastIndex = endOfString(json, found.index);
    else yield found[0];
  }
}

function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end === -1 ? json.length : end + 1;
}

function isEscaped(json: string, at: number): boolean {
  let first = at;
  while (json[first - 1] === '\\') first--;
  return (at - first) % 2 === 1;
}

/** The integer in the JSON text of a double, which may differ from the double's exact value. */
function integerWritten(value: number): bigint {
  const [mantissa = '', exponent = '0'] = String(value).split('e+');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return BigInt(whole + fraction.padEnd(Number(exponent), '0'));
}

function isKept(literal: string): boolean {
  const value = Number(literal);
  if (!Number.isFinite(value)) return false;
  if (/^-?\d+$/.test(literal)) return BigInt(literal) === integerWritten(value);
  return value !== 0 || !/[1-9]/.test(literal.split(/e/i)[0]!);
}
