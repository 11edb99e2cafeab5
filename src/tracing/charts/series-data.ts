import { Where } from '../../platform/db/where.ts';
import { InvalidRequest } from '../../platform/errors.ts';
import type { QueryDeps } from '../query/find-runs.ts';
import { readBounded } from '../query/read-bounded.ts';
import { bodyTests, type RunQuery } from '../query/run-query.ts';
import { conditionOf } from '../query/run-query-body.ts';
import { conditionsOf } from '../query/run-query-sql.ts';
import { TAGS_OF_TRACE } from '../query/trace-tags.ts';
import type { BucketInfo, ChartFilters, GroupBy, Point, Series } from './chart.ts';
import { isCount, isOfFeedback, isOfUsage, metricSql } from './metrics.ts';

const MAX_BUCKETS = 1_000;
const MAX_VALUES = 10;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** A series with its id and the filters and grouping of its chart. */
export type DrawnSeries = Series & { id: string };

/**
 * Points of a series per bucket and group. Buckets follow the requested time zone, so days begin at local midnight.
 * Keeps only the groups with the most runs. Throws InvalidRequest, InvalidFilter, TookTooLong.
 */
export async function seriesPoints(
  { db, config }: QueryDeps,
  tenantId: string,
  series: DrawnSeries,
  bucket: BucketInfo,
): Promise<Point[]> {
  const { start, end, stride } = boundsOf(bucket);
  const where = new Where();
  const conditions = runConditionsOf(tenantId, series.filters ?? {}, where);
  const [from, until] = [where.bind(start), where.bind(end)];
  conditions.push(`r.start_time >= ${from}::timestamptz`, `r.start_time < ${until}::timestamptz`);
  const zone = `${where.bind(bucket.timezone)}::text`;
  const step = `${where.bind(stride)}::interval`;
  const local = (time: string): string => `(${time} at time zone ${zone})`;
  const first = local(`${from}::timestamptz`);
  const group = groupSql(series, where);
  const key = series.feedback_key ?? keyOfLabels(series.group_by);
  const feedback = isOfFeedback(series.metric)
    ? `join tracing.feedback f on f.tenant_id = r.tenant_id and f.run_id = r.id${
        key === undefined ? '' : ` and f.key = ${where.bind(key)}::text`
      }`
    : '';
  const rows = await readBounded<Omit<Point, 'series_id'>>(db, config.SLIPWAY_TRACE_QUERY_SECONDS, {
    text: `with counted as (
       select date_bin(${step}, ${local('r.start_time')}, ${first}) as bucket, ${group.value} as grp, count(*) as n,
         ${metricSql(series.metric)} as value
       from tracing.run r ${feedback} ${group.join} where ${conditions.join(' and ')} group by 1, 2),
     drawn as (${group.drawn})
     select b.bucket at time zone ${zone} as timestamp, d.grp as group,
       coalesce(c.value, ${isCount(series.metric) ? '0' : 'null'}) as value
     from generate_series(${first}, ${local(`${until}::timestamptz`)} - interval '1 microsecond', ${step}) as b (bucket)
     cross join drawn d left join counted c on c.bucket = b.bucket and c.grp is not distinct from d.grp
     order by d.grp, b.bucket`,
    values: where.values,
  });
  return rows.map((row) => ({ series_id: series.id, ...row }));
}

function boundsOf({ start_time, end_time, stride, timezone }: BucketInfo) {
  const end = end_time ? Date.parse(end_time) : Date.now();
  const start = start_time ? Date.parse(start_time) : end - DAY_MS;
  const minutes = stride.days * 1440 + stride.hours * 60 + stride.minutes;
  if (minutes === 0) throw new InvalidRequest('stride must be at least a minute');
  if (end <= start) throw new InvalidRequest('end_time must be after start_time');
  if ((end - start) / (minutes * MINUTE_MS) > MAX_BUCKETS)
    throw new InvalidRequest(`A chart has at most ${MAX_BUCKETS} buckets: choose a longer stride`);
  if (!isZone(timezone)) throw new InvalidRequest(`Unknown time zone ${timezone}`);
  return {
    start: new Date(start).toISOString(),
    end: new Date(end).toISOString(),
    stride: `${minutes} minutes`,
  };
}

/** Names only: Postgres inverts the sign of offsets. */
function isZone(timezone: string): boolean {
  try {
    return /^[A-Za-z]/.test(timezone) && Boolean(new Intl.DateTimeFormat('en', { timeZone: timezone }));
  } catch {
    return false;
  }
}

/** Throws InvalidFilter, and InvalidRequest for filters on bodies. */
function runConditionsOf(tenant_id: string, filters: ChartFilters, where: Where): string[] {
  const query: RunQuery = {
    tenant_id,
    projects: filters.session,
    filter: conditionOf(filters.filter),
    trace_filter: conditionOf(filters.trace_filter),
    tree_filter: conditionOf(filters.tree_filter),
  };
  const { own, ofTrace } = bodyTests(query);
  if (own.length + ofTrace.length > 0) throw new InvalidRequest('Charts do not search inputs and outputs');
  return conditionsOf(query, where);
}

interface GroupSql {
  /** SQL of the group's name. */
  value: string;
  /** Join that `value` needs. */
  join: string;
  /** SQL of the groups to keep. */
  drawn: string;
}

const LABEL = `f.value #>> '{}'`;

function groupSql({ group_by: by, metric }: Pick<Series, 'group_by' | 'metric'>, where: Where): GroupSql {
  if (!by && metric !== 'feedback_values')
    return { value: 'null::text', join: '', drawn: 'select null::text as grp' };
  const limit = where.bind(by?.max_groups ?? MAX_VALUES);
  const drawn = `select grp from counted where grp is not null group by grp order by sum(n) desc, grp limit ${limit}::int`;
  // Feedback values form groups unless another grouping is requested.
  if (!by) return { value: LABEL, join: '', drawn };
  switch (by.attribute) {
    case 'tag':
      return {
        value: 'tag.name',
        join: `cross join lateral (select distinct unnest(${isOfUsage(metric) ? TAGS_OF_TRACE : 'r.tags'}) as name) as tag`,
        drawn,
      };
    case 'project':
      return { value: 'p.name', join: 'join tracing.project p on p.id = r.project_id', drawn };
    case 'metadata':
      return { value: `r.metadata ->> ${where.bind(by.path ?? '')}::text`, join: '', drawn };
    case 'feedback_label':
      if (isOfFeedback(metric)) return { value: LABEL, join: '', drawn };
      return { value: 'label.name', join: labelsSql(keyOfLabels(by), where), drawn };
    default:
      return { value: `r.${by.attribute}`, join: '', drawn };
  }
}

const keyOfLabels = (by: GroupBy | undefined): string | undefined =>
  by?.attribute === 'feedback_label' ? by.path : undefined;

/** Counts a run once per group, even with duplicate feedback. */
const labelsSql = (key: string | undefined, where: Where): string =>
  `cross join lateral (select distinct ${LABEL} as name from tracing.feedback f
     where f.tenant_id = r.tenant_id and f.run_id = r.id${key === undefined ? '' : ` and f.key = ${where.bind(key)}::text`}) as label`;
