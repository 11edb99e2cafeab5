import { storableText } from '../../../platform/storable-text.ts';
import { InvalidFilter } from './invalid-filter.ts';

export type Token = { at: number } & (
  | { kind: 'mark'; mark: '(' | ')' | '[' | ']' | ',' }
  | { kind: 'name'; name: string }
  /** `raw` is the text between the quotes. */
  | { kind: 'text'; text: string; raw: string }
  | { kind: 'number'; number: number }
  | { kind: 'end' }
);

const MAX_LENGTH = 64 * 1024;
const TOKEN =
  /\s*(?:(?<mark>[()[\],])|(?<name>[A-Za-z_]\w*)|(?<quoted>"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*')|(?<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?<end>$)|)/y;
const ESCAPED = /\\(?:u([0-9a-fA-F]{4})|([^]))/g;
const ESCAPES: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** Splits a filter into tokens, ending with an end token. Throws InvalidFilter. */
export function readTokens(source: string): Token[] {
  if (source.length > MAX_LENGTH)
    throw new InvalidFilter(`the filter is longer than ${MAX_LENGTH} characters`, MAX_LENGTH);
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  for (;;) {
    const { 0: whole, index, groups = {} } = TOKEN.exec(source)!;
    const at = index + whole.length - (Object.values(groups).find((part) => part !== undefined) ?? '').length;
    const token = readToken(groups, at);
    tokens.push(token);
    if (token.kind === 'end') return tokens;
  }
}

function readToken({ mark, name, quoted, number, end }: Record<string, string>, at: number): Token {
  if (mark) return { kind: 'mark', mark: mark as '(', at };
  if (name) return { kind: 'name', name, at };
  if (quoted) {
    const raw = quoted.slice(1, -1);
    return { kind: 'text', text: storableText(unescape(raw)), raw, at };
  }
  if (number) {
    if (!Number.isFinite(Number(number))) throw new InvalidFilter('the number is too large', at);
    return { kind: 'number', number: Number(number), at };
  }
  if (end !== undefined) return { kind: 'end', at };
  throw new InvalidFilter('expected a name, a quoted text, a number or one of ( ) [ ] ,', at);
}

/** JSON escapes and `\'`; unknown escapes stay literal. */
const unescape = (raw: string): string =>
  raw.replace(ESCAPED, (whole, code: string | undefined, letter: string) => {
    if (code) return String.fromCharCode(Number.parseInt(code, 16));
    return ESCAPES[letter] ?? (/["'\\/]/.test(letter) ? letter : whole);
  });
