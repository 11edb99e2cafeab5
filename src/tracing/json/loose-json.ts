import { isUtf8 } from 'node:buffer';
import { endOfString, QUOTE } from './json-slices.ts';

/** Limit on nesting, because code that walks values is recursive. */
export const MAX_DEPTH = 200;
const BYTES_OF_A_VALUE = 40;
const USUAL_TEXT_OF_A_VALUE = 16;
const MINUS = 0x2d;
const NULL = Buffer.from('null');
const LITERALS = ['NaN', 'Infinity'].map((text) => Buffer.from(text));

export interface Parsed {
  value: unknown;
  /** The JSON as sent, with `NaN` and `Infinity` replaced by null. */
  text: Buffer;
  /** Whether it is nested deeper than MAX_DEPTH levels. */
  isDeep: boolean;
  /** Whether `value` represents every number of `text` exactly. False for integers beyond 2^53, 1e400 and -0. */
  isExact: boolean;
  /** Number of values. Many small values take far more memory than their text. */
  values: number;
}

/**
 * Parses JSON as clients write it: `NaN` and `Infinity` from Python become null (contract §1.6). Undefined if it is
 * not JSON in UTF-8.
 */
export function parseLoose(bytes: Buffer): Parsed | undefined {
  if (!isUtf8(bytes)) return undefined;
  const strict = parse(bytes);
  if (strict) return strict;
  const mended = withoutLiterals(bytes);
  return mended && parse(mended);
}

/**
 * Bytes of memory used beyond the usual ratio to the text's length. Text made of brackets takes thirteen times its
 * length.
 */
export const memoryOf = ({ values, text }: Parsed): number =>
  Math.max(0, Math.round(BYTES_OF_A_VALUE * (values - text.length / USUAL_TEXT_OF_A_VALUE)));

export const parseLooseText = (source: string): Parsed | undefined => parseLoose(Buffer.from(source));

function parse(text: Buffer): Parsed | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text.toString('utf8'));
  } catch {
    return undefined;
  }
  const parsed = { value, text, isDeep: false, isExact: true, values: 0 };
  survey(value, 1, parsed);
  return parsed;
}

function survey(value: unknown, depth: number, parsed: Parsed): void {
  parsed.values++;
  if (typeof value === 'number') {
    if (!isKept(value)) parsed.isExact = false;
  } else if (typeof value === 'object' && value !== null) {
    if (depth > MAX_DEPTH) parsed.isDeep = true;
    else if (Array.isArray(value)) for (const item of value) survey(item, depth + 1, parsed);
    else for (const key in value) survey(value[key as keyof typeof value], depth + 1, parsed);
  }
}

/** Whether JSON.stringify reproduces all numbers of a parsed value. */
export function isExact(value: unknown): boolean {
  if (typeof value === 'number') return isKept(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(isExact);
}

const isKept = (number: number): boolean =>
  Number.isInteger(number) ? Number.isSafeInteger(number) && !Object.is(number, -0) : Number.isFinite(number);

/** Whether a value is nested deeper than `most` levels. */
export function isDeeperThan(value: unknown, most: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return most === 0 || Object.values(value).some((item) => isDeeperThan(item, most - 1));
}

/** Replaces non-JSON literals by null. Undefined if there are none. */
function withoutLiterals(bytes: Buffer): Buffer | undefined {
  const pieces: Buffer[] = [];
  let kept = 0;
  for (let at = 0; at < bytes.length;) {
    if (bytes[at] === QUOTE) {
      at = endOfString(bytes, at);
      continue;
    }
    const literal = LITERALS.find(
      (text) => bytes[at] === text[0] && bytes.subarray(at, at + text.length).equals(text),
    );
    if (!literal) {
      at++;
      continue;
    }
    pieces.push(bytes.subarray(kept, bytes[at - 1] === MINUS ? at - 1 : at), NULL);
    kept = at += literal.length;
  }
  return pieces.length === 0 ? undefined : Buffer.concat([...pieces, bytes.subarray(kept)]);
}
