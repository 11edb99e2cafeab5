import { bitOf, POSITION_COLUMNS, RUN_COLUMNS, type RunColumn } from '../runs/run-columns.ts';

const columns = Object.entries(RUN_COLUMNS) as [RunColumn, string][];
const places = Object.entries(POSITION_COLUMNS);

const types = [
  'id uuid',
  'start_time timestamptz',
  'project_id uuid',
  ...[...places, ...columns].map(([name, type]) => `${name} ${type}`),
  'tags text[]',
  'metadata jsonb',
  'extra_keys bigint',
  'patched integer',
  'is_posted boolean',
];
const names = types.map((column) => column.split(' ')[0]!);

/** Patches win over posts, later values over earlier, and any value over null (contract §1.5). */
const merged = (column: RunColumn): string => `${column} = case
  when excluded.${column} is null then t.${column}
  when excluded.patched & ${bitOf(column)} <> 0 then excluded.${column}
  else coalesce(t.${column}, excluded.${column}) end`;

/** The first position given stays; a guess made for a lone patch is overwritten. */
const placed = (column: string): string => `${column} =
  case when t.is_posted then coalesce(t.${column}, excluded.${column}) else coalesce(excluded.${column}, t.${column}) end`;

/** Upserts runs `$2`, as JSON, of tenant `$1`. */
export const UPSERT_RUNS = `insert into tracing.run as t (tenant_id, ${names.join(', ')})
  select $1, ${names.map((name) => `r.${name}`).join(', ')} from json_to_recordset($2) as r (${types.join(', ')})
  on conflict (tenant_id, id, start_time) do update set
  ${[
    ...['project_id', ...places.map(([name]) => name)].map(placed),
    ...columns.map(([name]) => merged(name)),
    `tags = case when excluded.tags is null then t.tags when t.tags is null then excluded.tags
      else t.tags || array(select tag from unnest(excluded.tags) with ordinality as sent (tag, at)
        where tag <> all(t.tags) order by at) end`,
    `metadata = case when excluded.metadata is null then t.metadata when t.metadata is null then excluded.metadata
      when excluded.is_posted then excluded.metadata || t.metadata else t.metadata || excluded.metadata end`,
    `extra_before = case
      when excluded.extra is null or t.extra is null or excluded.extra_keys = t.extra_keys then t.extra_before
      when excluded.patched & ${bitOf('extra')} <> 0 then t.extra_before || t.extra
      else excluded.extra || t.extra_before end`,
    `extra_keys = case when excluded.extra is not null
      and (t.extra is null or excluded.patched & ${bitOf('extra')} <> 0) then excluded.extra_keys else t.extra_keys end`,
    'patched = t.patched | excluded.patched',
    'is_posted = t.is_posted or excluded.is_posted',
    'updated_at = clock_timestamp()',
  ].join(', ')}`;
