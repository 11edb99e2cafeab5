import type { JsonObject } from '../schema.ts';
import type { RowCondition, RowFilter } from './row-filter.ts';

/**
 * Builds the conditions and parameters of a statement. Everything inside `${}` becomes a parameter, so callers' text
 * never becomes SQL.
 */
export class Where {
  readonly values: unknown[] = [];
  readonly #conditions: string[] = [];

  and(text: TemplateStringsArray, ...values: unknown[]): this {
    return this.#add(String.raw({ raw: text }, ...values.map((value) => this.bind(value))));
  }

  /** Adds a condition whose parameters are already bound. */
  raw(condition: string): this {
    return this.#add(condition);
  }

  /** Undefined matches everything. */
  andEquals(column: string, value: unknown): this {
    return value === undefined ? this : this.#add(`${column} = ${this.bind(value)}`);
  }

  /** Undefined matches everything, an empty list nothing. */
  andAny(column: string, values: unknown[] | undefined): this {
    return values ? this.#add(`${column} = any(${this.bind(values)})`) : this;
  }

  /** Undefined operands match everything. */
  andCompares(column: string, operands: Partial<Record<'>' | '>=' | '<' | '<=', unknown>>): this {
    for (const [sign, operand] of Object.entries(operands))
      if (operand !== undefined) this.#add(`${column} ${sign} ${this.bind(operand)}`);
    return this;
  }

  /** Requires every key of `part` with an equal scalar or a containing object or array. Empty matches everything. */
  andContains(column: string, part: JsonObject | undefined): this {
    if (!part || Object.keys(part).length === 0) return this;
    return this.#add(`${column} @> ${this.bind(JSON.stringify(part))}::jsonb`);
  }

  /** Matches rows whose metadata passes the filter or for which `unless` holds. Undefined matches everything. */
  andPasses(column: string, filter: RowFilter | undefined, unless?: string): this {
    if (!filter || filter.all.length === 0) return this;
    const passes = this.passes(column, filter);
    return this.#add(unless ? `(${unless} or ${passes})` : passes);
  }

  /** The same as an SQL expression. */
  passes(column: string, { all }: RowFilter): string {
    return all.map((condition) => this.#holds(column, condition)).join(' and ') || 'true';
  }

  /** Adds a parameter and returns its placeholder. */
  bind(value: unknown): string {
    return `$${this.values.push(value)}`;
  }

  /** The where clause; empty without conditions. */
  get text(): string {
    return this.#conditions.length > 0 ? `where ${this.#conditions.join(' and ')}` : '';
  }

  #holds(column: string, condition: RowCondition): string {
    if ('any' in condition)
      return `(${condition.any.map((filter) => `(${this.passes(column, filter)})`).join(' or ')})`;
    const { key } = condition;
    if ('equals' in condition) {
      const { equals } = condition;
      // Containment has an index, but for objects and lists it would also match larger values.
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
