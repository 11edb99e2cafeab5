import type { BodyTest, Condition, PairTest, Test } from './condition.ts';
import { containmentSql } from './containment-sql.ts';
import { CASTS, type FieldType } from './run-fields.ts';

/** Builds SQL with values as parameters only. */
export interface SqlContext {
  /** Adds a parameter and returns its placeholder. */
  bind(value: unknown): string;
  /** SQL for a test on bodies. `negated` if it is below an odd number of nots. */
  body(test: BodyTest, r: string, negated: boolean): string;
}

/** SQL of a condition on run `r`. Never null: unknown counts as false. */
export function conditionSql(condition: Condition, r: string, context: SqlContext, negated = false): string {
  const { bind } = context;
  const list = (parts: Condition[], joined: string, none: string): string =>
    parts.length === 0
      ? none
      : `(${parts.map((part) => conditionSql(part, r, context, negated)).join(joined)})`;
  if ('all' in condition) return list(condition.all, ' and ', 'true');
  if ('any' in condition) return list(condition.any, ' or ', 'false');
  if ('not' in condition) return `not coalesce(${conditionSql(condition.not, r, context, !negated)}, false)`;
  if ('field' in condition) {
    const { sql, type } = condition.field;
    return testSql(sql(r), type, condition.test, bind);
  }
  if ('tags' in condition) {
    if (condition.tags.length === 0) return `coalesce(cardinality(${r}.tags) > 0, false)`;
    return `${r}.tags ${condition.match === 'all' ? '@>' : '&&'} ${bind(condition.tags)}::text[]`;
  }
  if ('tag_like' in condition)
    return `exists (select 1 from unnest(${r}.tags) as tag where ${likeSql('tag', condition.tag_like, bind)})`;
  if ('metadata' in condition) return `${r}.metadata @> ${bind(JSON.stringify(condition.metadata))}::jsonb`;
  if ('pairs' in condition) return pairsSql(condition.pairs, condition.of, r, bind);
  if ('columns' in condition) return wordSql(condition, r, bind);
  return context.body(condition.body, r, negated);
}

type Bind = SqlContext['bind'];
type Family = 'metadata' | 'feedback';

const SYMBOLS = { eq: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

function testSql(sql: string, type: FieldType, test: Test, bind: Bind): string {
  if (test.op === 'there') return `${sql} is not null`;
  if (test.op === 'in') return `${sql} = any(${bind(test.values)}::${CASTS[type]}[])`;
  if (test.op === 'like') return likeSql(`${sql}::text`, String(test.value), bind);
  return `${sql} ${SYMBOLS[test.op]} ${bind(test.value)}::${CASTS[type]}`;
}

// No escape character: patterns that end in one are an error in Postgres.
const likeSql = (sql: string, pattern: string, bind: Bind): string =>
  `${sql} like ${bind(pattern)}::text escape ''`;

// Limits exponents to what Postgres accepts.
const NUMERIC = String.raw`'^-?\d{1,100}(\.\d{1,100})?([eE][+-]?\d{1,3})?$'`;
const PARTS: Record<Family, Record<string, string>> = {
  metadata: { key: 'p.key', value: 'p.value' },
  feedback: { key: 'p.key', value: `p.value #>> '{}'`, score: 'p.score', source: 'p.source_type' },
};

function pairsSql(tests: PairTest[], of: Family, r: string, bind: Bind): string {
  const contained = of === 'metadata' ? containmentSql(tests, r, bind) : undefined;
  if (contained) return contained;
  const passes = tests.map(({ part, test, negated }) => {
    const sql = PARTS[of][part]!;
    const passes = part === 'score' ? testSql(sql, 'number', test, bind) : textTestSql(sql, test, bind);
    return negated ? `not coalesce(${passes}, false)` : passes;
  });
  const from =
    of === 'metadata'
      ? `tracing.pairs(${r}.metadata) p where`
      : `tracing.feedback p where p.tenant_id = ${r}.tenant_id and p.run_id = ${r}.id and`;
  return `exists (select 1 from ${from} ${passes.join(' and ')})`;
}

/** Values are stored as text. Compared with a number, non-numeric values do not match. */
function textTestSql(sql: string, test: Test, bind: Bind): string {
  if (test.op === 'in') return testSql(sql, 'text', { op: 'in', values: test.values.map(String) }, bind);
  if (test.op === 'there' || test.op === 'like' || test.op === 'eq' || typeof test.value !== 'number')
    return testSql(sql, 'text', 'value' in test ? { ...test, value: String(test.value) } : test, bind);
  return testSql(`(case when ${sql} ~ ${NUMERIC} then (${sql})::numeric end)`, 'number', test, bind);
}

function wordSql({ word, columns }: Extract<Condition, { columns: unknown }>, r: string, bind: Bind): string {
  const found = columns.map((column) => {
    if (column !== 'metadata') return `strpos(lower(${r}.${column}), ${bind(word)}) > 0`;
    const inJson = JSON.stringify(word).slice(1, -1);
    return `strpos(lower(${r}.metadata::text), ${bind(inJson)}) > 0
      or strpos(lower(array_to_string(${r}.tags, ' ')), ${bind(word)}) > 0`;
  });
  return `(${found.join(' or ')})`;
}
