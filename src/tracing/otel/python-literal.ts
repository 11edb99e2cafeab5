const MAX_DEPTH = 100;
const SPACE = /[\s]*/y;
const NUMBER = /[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:e[-+]?\d+)?/iy;
const WORD = /True|False|None|nan|-?inf/y;
const TEXT = /[bru]{0,2}('(?:[^'\\]|\\[^])*'|"(?:[^"\\]|\\[^])*")/iy;
const WORDS: Record<string, unknown> = {
  True: true,
  False: false,
  None: null,
  nan: null,
  inf: null,
  '-inf': null,
};
const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r', '0': '\0', b: '\b', f: '\f', '\n': '' };
const CLOSING: Record<string, string> = { '{': '}', '[': ']', '(': ')' };

/**
 * Parses a Python literal as written by `str()` of a dict or list, which the Python SDK sends in some attributes
 * (contract §1.9). Undefined if it is not one.
 */
export function readPythonLiteral(text: string): unknown {
  const reader = { text, at: 0 };
  try {
    const value = readValue(reader, 0);
    return reader.at === text.trimEnd().length ? value : undefined;
  } catch (error) {
    if (error instanceof NoLiteral) return undefined;
    throw error;
  }
}

interface Reader {
  text: string;
  at: number;
}

class NoLiteral extends Error {}

function take(reader: Reader, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.text);
  if (found) reader.at = pattern.lastIndex;
  return found;
}

function readValue(reader: Reader, depth: number): unknown {
  take(reader, SPACE);
  const opening = reader.text[reader.at] ?? '';
  const closing = CLOSING[opening];
  if (depth > MAX_DEPTH) throw new NoLiteral();
  if (closing) {
    reader.at++;
    const value = opening === '{' ? readDict(reader, depth + 1) : readItems(reader, closing, depth + 1);
    return value;
  }
  const text = take(reader, TEXT);
  if (text) return unescaped(text[1]!.slice(1, -1));
  const word = take(reader, WORD);
  if (word) return WORDS[word[0]];
  const number = take(reader, NUMBER);
  if (number) return Number(number[0].replaceAll('_', ''));
  throw new NoLiteral();
}

function readDict(reader: Reader, depth: number): Record<string, unknown> {
  const entries: [string, unknown][] = [];
  while (!closes(reader, '}')) {
    const key = readValue(reader, depth);
    expect(reader, ':');
    entries.push([typeof key === 'string' ? key : JSON.stringify(key), readValue(reader, depth)]);
    separate(reader, '}');
  }
  return Object.fromEntries(entries);
}

function readItems(reader: Reader, closing: string, depth: number): unknown[] {
  const items: unknown[] = [];
  while (!closes(reader, closing)) {
    items.push(readValue(reader, depth));
    separate(reader, closing);
  }
  return items;
}

function closes(reader: Reader, closing: string): boolean {
  take(reader, SPACE);
  if (reader.text[reader.at] !== closing) return false;
  reader.at++;
  return true;
}

function separate(reader: Reader, closing: string): void {
  take(reader, SPACE);
  if (reader.text[reader.at] !== closing) expect(reader, ',');
}

function expect(reader: Reader, mark: string): void {
  take(reader, SPACE);
  if (reader.text[reader.at++] !== mark) throw new NoLiteral();
}

const unescaped = (text: string): string =>
  text.replaceAll(
    /\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|([^]))/gi,
    (whole, x: string, u: string, long: string, plain: string) => {
      if (plain !== undefined) return ESCAPES[plain] ?? plain;
      const code = Number.parseInt(x ?? u ?? long, 16);
      return code <= 0x10_ffff ? String.fromCodePoint(code) : whole;
    },
  );
