export const QUOTE = 0x22;
const [BACKSLASH, COMMA, COLON, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from(
  '\\,:[]{}',
) as unknown as [number, number, number, number, number, number, number];
const SPACE = 0x20;

/** A value in a JSON text: `start` inclusive, `end` exclusive. */
export interface Slice {
  start: number;
  end: number;
  /** Members of an object by key. The last duplicate wins. */
  members?: Map<string, Slice>;
  items?: Slice[];
}

/** End of the string that begins at `at`. */
export function endOfString(bytes: Buffer, at: number): number {
  for (let index = at + 1; index < bytes.length; index++)
    if (bytes[index] === QUOTE) return index + 1;
    else if (bytes[index] === BACKSLASH) index++;
  return bytes.length;
}

/** Whether the string that ends there is an object key. */
export const isKey = (bytes: Buffer, end: number): boolean => bytes[afterSpace(bytes, end)] === COLON;

/**
 * Locates values up to `levels` deep, so that they can be stored byte for byte without losing number precision. The
 * text must be valid JSON.
 */
export function sliceJson(bytes: Buffer, levels: number): Slice {
  return sliceAt(bytes, afterSpace(bytes, 0), levels);
}

export const textOfSlice = (bytes: Buffer, { start, end }: Slice): Buffer => bytes.subarray(start, end);

const STARTS_NUMBER = new Set(Buffer.from('-0123456789'));
const OF_NUMBERS = new Set(Buffer.from('+-.0123456789Ee'));

/** Replaces the numbers for which `replace` returns a text. */
export function replaceNumbers(bytes: Buffer, replace: (number: string) => string | undefined): Buffer {
  const pieces: Buffer[] = [];
  let kept = 0;
  for (let at = 0; at < bytes.length;) {
    if (bytes[at] === QUOTE) at = endOfString(bytes, at);
    else if (!STARTS_NUMBER.has(bytes[at]!)) at++;
    else {
      const start = at;
      while (OF_NUMBERS.has(bytes[at]!)) at++;
      const text = replace(bytes.toString('latin1', start, at));
      if (text === undefined) continue;
      pieces.push(bytes.subarray(kept, start), Buffer.from(text));
      kept = at;
    }
  }
  return Buffer.concat([...pieces, bytes.subarray(kept)]);
}

function sliceAt(bytes: Buffer, start: number, levels: number): Slice {
  const first = bytes[start];
  if (first === QUOTE) return { start, end: endOfString(bytes, start) };
  if (first === OPEN_LIST) return levels > 0 ? sliceList(bytes, start, levels) : skipNested(bytes, start);
  if (first === OPEN_OBJECT) return levels > 0 ? sliceObject(bytes, start, levels) : skipNested(bytes, start);
  let end = start;
  while (end < bytes.length && !isEnd(bytes[end]!)) end++;
  return { start, end };
}

function sliceList(bytes: Buffer, start: number, levels: number): Slice {
  const items: Slice[] = [];
  let at = afterSpace(bytes, start + 1);
  while (bytes[at] !== CLOSE_LIST && at < bytes.length) {
    const item = sliceAt(bytes, at, levels - 1);
    items.push(item);
    at = afterSpace(bytes, item.end);
    if (bytes[at] === COMMA) at = afterSpace(bytes, at + 1);
  }
  return { start, end: at + 1, items };
}

function sliceObject(bytes: Buffer, start: number, levels: number): Slice {
  const members = new Map<string, Slice>();
  let at = afterSpace(bytes, start + 1);
  while (bytes[at] !== CLOSE_OBJECT && at < bytes.length) {
    const keyEnd = endOfString(bytes, at);
    const key = JSON.parse(bytes.toString('utf8', at, keyEnd)) as string;
    const colon = afterSpace(bytes, keyEnd);
    const member = sliceAt(bytes, afterSpace(bytes, colon + 1), levels - 1);
    members.set(key, member);
    at = afterSpace(bytes, member.end);
    if (bytes[at] === COMMA) at = afterSpace(bytes, at + 1);
  }
  return { start, end: at + 1, members };
}

function skipNested(bytes: Buffer, start: number): Slice {
  let depth = 0;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) at = endOfString(bytes, at) - 1;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth++;
    else if ((byte === CLOSE_LIST || byte === CLOSE_OBJECT) && --depth === 0) return { start, end: at + 1 };
  }
  return { start, end: bytes.length };
}

function afterSpace(bytes: Buffer, at: number): number {
  while (at < bytes.length && bytes[at]! <= SPACE) at++;
  return at;
}

const isEnd = (byte: number): boolean =>
  byte <= SPACE || byte === COMMA || byte === CLOSE_LIST || byte === CLOSE_OBJECT;
