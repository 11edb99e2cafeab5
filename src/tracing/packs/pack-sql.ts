import { SEGMENT_LENGTH } from '../ingest/dotted-order.ts';

/** Columns of tracing.run that a pack has as they are, and of tracing.any_run what else it says. */
const AS_THEY_ARE =
  `id start_time trace_id parent_run_id orphan_of name run_type end_time first_token_time error thread_id
  reference_example_id prompt_tokens completion_tokens total_tokens prompt_cost completion_cost total_cost inputs outputs
  events extra serialized patched is_posted inserted_at updated_at owns_usage`.split(/\s+/);
const AS_TEXT = ['tags', 'metadata', 'usage', 'root_tags'];

const ABOVE = `nullif(left(dotted_order, greatest(length(dotted_order) - ${SEGMENT_LENGTH}, 0)), '')`;
const OWN = `to_char(start_time at time zone 'UTC', 'YYYYMMDD"T"HH24MISSUS"Z"') || id`;

const COLUMNS = new Map<string, string>([
  ...AS_THEY_ARE.map((name): [string, string] => [name, name]),
  ...AS_TEXT.map((name): [string, string] => [name, `${name}::text`]),
  ...['inputs_preview', 'outputs_preview'].map((name): [string, string] => [
    name,
    `case when parent_run_id is null then ${name} when ${name} is not null then '' end`,
  ]),
  ['above', ABOVE],
  ['segment', `nullif(right(dotted_order, ${SEGMENT_LENGTH}), ${OWN})`],
]);

/** Of characters; longer values of metadata are no key. */
export const LONGEST_KEY = 200;

/** What stands for every value of a kind, where a pack has too many. */
export const ANY_VALUE = '*';
// As many of a kind for each run are told apart.
const MOST_VALUES = 10;

// What tests of a filter can be told from; see filterKeys.
const KEYS = `
  select tracing.pack_key(unnest(array[id, trace_id, parent_run_id, orphan_of, reference_example_id])) from packed
  union select tracing.pack_key(kind || ':' || case when n > ${MOST_VALUES} * (select count(*) from packed)
    then '${ANY_VALUE}' else value end)
  from (select kind, value, count(*) over (partition by kind) as n from (
    select distinct kind, value from packed cross join lateral (
      values ('thread', thread_id), ('name', name), ('type', run_type), ('status', status)
      union all select 'tag', unnest(tags)
      union all select 'metadata', p.key || '=' || p.value from tracing.pairs(metadata) p
        where length(p.value) <= ${LONGEST_KEY}) as row (kind, value) where value is not null) as said) as counted`;

/** Writes a pack of these traces, `$3`, of the project `$2` of the tenant `$1`; returns its number and how many runs it has. */
export const INSERT_PACK = `
  with packed as materialized (
    select r.*, row_number() over (order by t.first, r.trace_id, r.start_time, r.id) as n
    from tracing.any_run r
    join (select trace_id, min(start_time) as first from tracing.run where tenant_id = $1 and trace_id = any($3::uuid[])
      group by trace_id) t on t.trace_id = r.trace_id
    where r.tenant_id = $1 and r.pack = 0)
  insert into tracing.run_pack (tenant_id, project_id, first_start, last_start, keys, ${[...COLUMNS.keys()].join(', ')})
  select $1, $2, min(start_time), max(start_time), (select array_agg(key) from (${KEYS}) k (key) where key is not null),
    ${[...COLUMNS.values()].map((sql) => `array_agg(${sql} order by n)`).join(',\n    ')}
  from packed returning pack, cardinality(id) as runs`;
