import { randomUUID } from 'node:crypto';
import { replaceNumbers } from './json-slices.ts';

// Random per process, so that clients cannot forge it.
const MARK = `\u{10fffe}${randomUUID()}:`;
const MARKED = new RegExp(`"${MARK}([^"]*)"`, 'g');
// Integers below 2^53 have fewer digits, and finite floats have shorter exponents.
const MAY_BE_LOSSY = /\d{16}|[eE][-+]?\d{3}/;

/** Whether JavaScript would change the number: an integer beyond 2^53, or a float out of range. */
export function isLossy(number: string): boolean {
  const value = Number(number);
  if (!Number.isFinite(value)) return true;
  if (/[.eE]/.test(number)) return value === 0 && /^[^eE]*[1-9]/.test(number);
  return !Number.isSafeInteger(value) && BigInt(number) !== BigInt(value);
}

/** Replaces such numbers by marked strings, which `unmarkNumbers` restores after JSON.parse and JSON.stringify. */
export function markNumbers(json: string): string {
  if (!MAY_BE_LOSSY.test(json)) return json;
  const mark = (number: string) => (isLossy(number) ? `"${MARK}${number}"` : undefined);
  return replaceNumbers(Buffer.from(json), mark).toString('utf8');
}

/** Restores the marked numbers in JSON text. */
export const unmarkNumbers = (json: string): string =>
  json.includes(MARK) ? json.replaceAll(MARKED, '$1') : json;

/** The marked numbers in JSON text. */
export const markedNumbers = (json: string): string[] =>
  hasMarked(json) ? [...json.matchAll(MARKED)].map(([, number]) => number!) : [];

export const hasMarked = (json: string): boolean => json.includes(MARK);
export const isMarked = (text: string): boolean => text.startsWith(MARK);

export const parseLossless = (json: string): unknown => JSON.parse(markNumbers(json)) as unknown;
export const stringifyLossless = (value: unknown): string => unmarkNumbers(JSON.stringify(value));
