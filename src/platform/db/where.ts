import type { JsonObject } from '../schema.ts';

/**
 * The conditions of one statement and the parameters of all of it. Everything inside `${}` becomes a parameter, so
 * only text of ours is ever part of the SQL.
 */
export class Where {
  readonly values: unknown[] = [];
  readonly #conditions: string[] = [];

  and(text: TemplateStringsArray, ...values: unknown[]): this {
    return this.#add(String.raw({ raw: text }, ...values.map((value) => this.bind(value))));
  }

  /** No value given matches all. */
  andEquals(column: string, value: unknown): this {
    return value === undefined ? this : this.#add(`${column} = ${this.bind(value)}`);
  }

  /** No list given matches all, an empty one nothing. */
  andAny(column: string, values: unknown[] | undefined): this {
    return values ? this.#add(`${column} = any(${this.bind(values)})`) : this;
  }

  /** Every key of `part` must be there with an equal scalar, or a containing object or array; nothing given matches all. */
  andContains(column: string, part: JsonObject | undefined): this {
    if (!part || Object.keys(part).length === 0) return this;
    return this.#add(`${column} @> ${this.bind(JSON.stringify(part))}::jsonb`);
  }

  /** Adds a parameter for use outside of the conditions; returns its placeholder. */
  bind(value: unknown): string {
    return `$${this.values.push(value)}`;
  }

  /** The whole clause; empty when there is no condition. */
  get text(): string {
    return this.#conditions.length > 0 ? `where ${this.#conditions.join(' and ')}` : '';
  }

  #add(condition: string): this {
    this.#conditions.push(condition);
    return this;
  }
}
