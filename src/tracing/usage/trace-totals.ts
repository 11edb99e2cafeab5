import type { Queryable } from '../../platform/db/database.ts';
import type { JsonObject } from '../../platform/schema.ts';
import type { RunRow } from '../runs/run-row.ts';

/**
 * SQL condition for runs `u` that count towards their trace's tokens and costs: model calls, and other runs with
 * stated usage but no descendant with any (contract §2.3). A parent that repeats its child's usage is never counted.
 */
export const ownsUsage = (
  u: string,
): string => `(${u}.total_tokens is not null or ${u}.total_cost is not null)
  and (${u}.run_type in ('llm', 'embedding') or not exists (
    select 1 from tracing.run below
    where below.tenant_id = ${u}.tenant_id and below.trace_id = ${u}.trace_id
      and starts_with(below.dotted_order, ${u}.dotted_order || '.')
      and (below.total_tokens is not null or below.total_cost is not null)))`;

// Runs start after their root, apart from clock skew, so older partitions are skipped.
const SKEW = `interval '1 day'`;
const COUNTED = [
  'prompt_tokens',
  'completion_tokens',
  'total_tokens',
  'prompt_cost',
  'completion_cost',
  'total_cost',
] as const;
const TOKEN_DETAILS = ['prompt_token_details', 'completion_token_details'];
const COST_DETAILS = ['prompt_cost_details', 'completion_cost_details'];

interface TotalsRow {
  trace_id: string;
  totals: Record<(typeof COUNTED)[number], string | null>;
  details: Record<string, Record<string, string>> | null;
}

const READ_TOTALS = `with owned as (
    select u.trace_id, ${COUNTED.map((column) => `u.${column}`).join(', ')}, u.usage
    from tracing.run u
    where u.tenant_id = $1 and u.trace_id = any($2) and u.start_time >= $3::timestamptz - ${SKEW} and ${ownsUsage('u')}),
  detail as (
    select trace_id, kind, key, sum(value::numeric)::text as value
    from owned, unnest($4::text[]) as kind,
      jsonb_each_text(case when jsonb_typeof(usage -> kind) = 'object' then usage -> kind end)
    group by trace_id, kind, key),
  details as (
    select trace_id, jsonb_object_agg(kind, map) as map
    from (select trace_id, kind, jsonb_object_agg(key, value) as map from detail group by trace_id, kind) as kinds
    group by trace_id)
  select u.trace_id, jsonb_build_object(${COUNTED.map((column) => `'${column}', sum(u.${column})::text`).join(', ')}) as totals,
    (select map from details d where d.trace_id = u.trace_id) as details
  from owned u group by u.trace_id`;

/** Replaces the tokens and costs of root rows by those of their traces, in one query. */
export async function withTraceTotals(db: Queryable, tenantId: string, rows: RunRow[]): Promise<RunRow[]> {
  const roots = rows.filter(({ parent_run_id }) => parent_run_id === null);
  if (roots.length === 0) return rows;
  const earliest = roots
    .map(({ start_time }) => start_time)
    .reduce((one, other) => (one < other ? one : other));
  const { rows: found } = await db.query<TotalsRow>({ name: 'tracing-trace-totals', text: READ_TOTALS }, [
    tenantId,
    [...new Set(roots.map(({ trace_id }) => trace_id))],
    earliest,
    [...TOKEN_DETAILS, ...COST_DETAILS],
  ]);
  const totals = new Map(found.map((row) => [row.trace_id, row]));
  return rows.map((row) => (row.parent_run_id === null ? withTotals(row, totals.get(row.trace_id)) : row));
}

function withTotals(row: RunRow, found: TotalsRow | undefined): RunRow {
  if (!found) return row;
  const { totals, details } = found;
  const tokens = (text: string | null) => (text === null ? null : Number(text));
  const usage: JsonObject = { ...row.usage };
  for (const kind of TOKEN_DETAILS) usage[kind] = numbers(details?.[kind]) ?? null;
  for (const kind of COST_DETAILS) usage[kind] = details?.[kind] ?? null;
  return {
    ...row,
    ...totals,
    prompt_tokens: tokens(totals.prompt_tokens),
    completion_tokens: tokens(totals.completion_tokens),
    total_tokens: tokens(totals.total_tokens),
    usage,
  };
}

const numbers = (map: Record<string, string> | undefined) =>
  map && Object.fromEntries(Object.entries(map).map(([key, text]) => [key, Number(text)]));
