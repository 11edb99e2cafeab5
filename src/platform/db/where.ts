import type { JsonObject } from '../schema.ts';
import type { RowCondition, RowFilter } from './row-filter.ts';

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

  /** A condition whose parameters were bound before. */
  raw(condition: string): this {
    return this.#add(condition);
  }

  /** No value given matches all. */
  andEquals(column: string, value: unknown): this {
    return value === undefined ? this : this.#add(`${column} = ${this.bind(value)}`);
  }

  /** No list given matches all, an empty one nothing. */
  andAny(column: string, values: unknown[] | undefined): this {
    return values ? this.#add(`${column} = any(${this.bind(values)})`) : this;
  }

  /** Comparisons without an operand match all. */
  andCompares(column: string, operands: Partial<Record<'>' | '>=' | '<' | '<=', unknown>>): this {
    for (const [sign, operand] of Object.entries(operands))
      if (operand !== undefined) this.#add(`${column} ${sign} ${this.bind(operand)}`);
    return this;
  }

  /** Every key of `part` must be there with an equal scalar, or a containing object or array; nothing given matches all. */
  andContains(column: string, part: JsonObject | undefined): this {
    if (!part || Object.keys(part).length === 0) return this;
    return this.#add(`${column} @> ${this.bind(JSON.stringify(part))}::jsonb`);
  }

  /** Rows whose metadata passes the filter, or for which `unless` holds; none given matches all. */
  andPasses(column: string, filter: RowFilter | undefined, unless?: string): this {
    if (!filter || filter.all.length === 0) return this;
    const passes = this.passes(column, filter);
    return this.#add(unless ? `(${unless} or ${passes})` : passes);
  }

  /** The same as an expression, for use outside of the conditions. */
  passes(column: string, { all }: RowFilter): string {
    return all.map((condition) => this.#holds(column, condition)).join(' and ') || 'true';
  }

  /** Adds a parameter for use outside of the conditions; returns its placeholder. */
  bind(value: unknown): string {
    return `$${this.values.push(value)}`;
  }

  /** The whole clause; empty when there is no condition. */
  get text(): string {
    return this.#conditions.length > 0 ? `where ${this.#conditions.join(' and ')}` : '';
  }

  #holds(column: string, condition: RowCondition): string {
    if ('any' in condition)
      return `(${condition.any.map((filter) => `(${this.passes(column, filter)})`).join(' or ')})`;
    const { key } = condition;
    if ('equals' in condition) {
      const { equals } = condition;
      // Containment has an index; of objects and lists it would also match larger ones.
      if (typeof equals !== 'object')
        return `${column} @> ${this.bind(JSON.stringify({ [key]: equals }))}::jsonb`;
      return `coalesce(${column} -> ${this.bind(key)}::text = ${this.bind(JSON.stringify(equals))}::jsonb, false)`;
    }
    const value = `${column} -> ${this.bind(key)}::text`;
    return `case when jsonb_typeof(${value}) = 'array' then ${this.bind(condition.contains)}::text[]
      <@ array(select jsonb_array_elements_text(${value})) else false end`;
  }

  #add(condition: string): this {
    this.#conditions.push(condition);
    return this;
  }
}
