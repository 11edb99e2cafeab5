import { type Static, Type } from 'typebox';
import { InvalidRequest } from '../../platform/errors.ts';
import { OneOrMany, StringEnum, Uuid } from '../../platform/schema.ts';
import { readTime } from '../runs/run-time.ts';
import type { Condition } from './filter/condition.ts';
import { readFilter } from './filter/read-filter.ts';
import { searchCondition } from './filter/search-words.ts';
import type { RunQuery } from './run-query.ts';

const optional = Type.Optional;
const Time = Type.Union([Type.String(), Type.Number()]);

/** Filters on runs (contract §1.11). Null means not given. */
export const RunFilter = Type.Object({
  id: optional(OneOrMany(Uuid)),
  session: optional(OneOrMany(Uuid)),
  session_id: optional(OneOrMany(Uuid)),
  run_type: optional(Type.String()),
  reference_example: optional(OneOrMany(Uuid)),
  parent_run: optional(Uuid),
  trace: optional(Uuid),
  is_root: optional(Type.Boolean()),
  /** 1 selects roots; other values are not supported. */
  execution_order: optional(Type.Literal(1)),
  error: optional(Type.Boolean()),
  start_time: optional(Time),
  end_time: optional(Time),
  filter: optional(Type.String()),
  trace_filter: optional(Type.String()),
  tree_filter: optional(Type.String()),
  search_filter: optional(Type.String()),
  query: optional(Type.String()),
});
export type RunFilter = Static<typeof RunFilter>;

export const RunPage = Type.Object({
  ...RunFilter.properties,
  select: optional(Type.Array(Type.String(), { maxItems: 200 })),
  limit: optional(Type.Integer()),
  order: optional(StringEnum(['asc', 'desc'])),
  cursor: optional(Type.String()),
  skip_pagination: optional(Type.Boolean()),
});
export type RunPage = Static<typeof RunPage>;

const listOf = (value: string | string[] | undefined): string[] | undefined =>
  typeof value === 'string' ? [value] : value;

/** Parses an ISO time or milliseconds. Throws InvalidRequest. */
export function timeOf(value: string | number | undefined, name: string): string | undefined {
  if (value === undefined) return undefined;
  const time = readTime(value);
  if (!time) throw new InvalidRequest(`${name} is not a valid time`);
  return time;
}

export const conditionOf = (filter: string | undefined): Condition | undefined =>
  filter === undefined || filter.trim() === '' ? undefined : readFilter(filter);

/** Ids override all other filters (contract §1.11). Throws InvalidFilter, InvalidRequest. */
export function readRunFilter(tenant_id: string, body: RunFilter): RunQuery {
  const ids = listOf(body.id);
  if (ids && ids.length > 0) return { tenant_id, ids };
  if (body.execution_order && body.is_root === false)
    throw new InvalidRequest('body.is_root must not be false with execution_order 1, which selects roots');
  const projects = listOf(body.session) ?? listOf(body.session_id);
  const filters = [
    conditionOf(body.filter),
    conditionOf(body.search_filter),
    body.query ? searchCondition(undefined, body.query, 0) : undefined,
  ].filter((condition) => condition !== undefined);
  return {
    tenant_id,
    projects: projects?.length === 0 ? undefined : projects,
    traces: body.trace === undefined ? undefined : [body.trace],
    parent: body.parent_run,
    examples: listOf(body.reference_example),
    is_root: body.execution_order ? true : body.is_root,
    run_type: body.run_type?.toLowerCase(),
    has_error: body.error,
    from: timeOf(body.start_time, 'body.start_time'),
    until: timeOf(body.end_time, 'body.end_time'),
    filter: filters.length > 1 ? { all: filters } : filters[0],
    trace_filter: conditionOf(body.trace_filter),
    tree_filter: conditionOf(body.tree_filter),
  };
}
