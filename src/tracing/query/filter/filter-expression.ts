import { type Token, readTokens } from './filter-tokens.ts';
import { InvalidFilter } from './invalid-filter.ts';

export type Scalar = string | number | boolean | null;

/** Syntax tree of a filter (contract §1.11). `at` is the character position. */
export type Expression = { at: number } & (
  | { kind: 'call'; name: string; args: Expression[] }
  | { kind: 'field'; name: string }
  | { kind: 'value'; value: Scalar; raw?: string }
  | { kind: 'list'; items: Expression[] }
);

const MAX_DEPTH = 50;
const MAX_CALLS = 1_000;
const LITERALS: Record<string, Scalar> = { true: true, false: false, null: null };

/** Parses a filter. Throws InvalidFilter with the position of the error. */
export function parseFilter(source: string): Expression {
  const parser = new Parser(readTokens(source));
  const expression = parser.expression(1);
  parser.end();
  return expression;
}

class Parser {
  readonly #tokens: Token[];
  #next = 0;
  #calls = 0;

  constructor(tokens: Token[]) {
    this.#tokens = tokens;
  }

  expression(depth: number): Expression {
    const token = this.#tokens[this.#next++]!;
    const { at } = token;
    if (depth > MAX_DEPTH)
      throw new InvalidFilter(`the filter is nested deeper than ${MAX_DEPTH} levels`, at);
    switch (token.kind) {
      case 'text':
        return { kind: 'value', value: token.text, raw: token.raw, at };
      case 'number':
        return { kind: 'value', value: token.number, at };
      case 'name':
        if (this.#takes('(')) return this.#call(token.name, at, depth);
        if (Object.hasOwn(LITERALS, token.name)) return { kind: 'value', value: LITERALS[token.name]!, at };
        return { kind: 'field', name: token.name, at };
      case 'mark':
        if (token.mark === '[') return { kind: 'list', items: this.#items(']', depth), at };
        throw new InvalidFilter(`unexpected ${token.mark}`, at);
      case 'end':
        throw new InvalidFilter('unexpected end of filter', at);
    }
  }

  end(): void {
    const { kind, at } = this.#tokens[this.#next]!;
    if (kind !== 'end') throw new InvalidFilter('expected the end of the filter', at);
  }

  #call(name: string, at: number, depth: number): Expression {
    if (++this.#calls > MAX_CALLS)
      throw new InvalidFilter(`the filter has more than ${MAX_CALLS} function calls`, at);
    return { kind: 'call', name, args: this.#items(')', depth), at };
  }

  #items(close: ')' | ']', depth: number): Expression[] {
    const items: Expression[] = [];
    if (this.#takes(close)) return items;
    for (;;) {
      items.push(this.expression(depth + 1));
      if (this.#takes(close)) return items;
      const { at } = this.#tokens[this.#next]!;
      if (!this.#takes(',')) throw new InvalidFilter(`expected , or ${close}`, at);
    }
  }

  #takes(mark: string): boolean {
    const token = this.#tokens[this.#next]!;
    if (token.kind !== 'mark' || token.mark !== mark) return false;
    this.#next++;
    return true;
  }
}
