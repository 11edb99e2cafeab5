import { type Static, Type } from 'typebox';
import { defineError } from '../../platform/errors.ts';
import { JsonObject, Nullable, StringEnum, Timestamp, Uuid } from '../../platform/schema.ts';
import { METRICS } from './metrics.ts';

export const ChartNotFound = defineError('ChartNotFound', 404, (id: string) => `Chart ${id} not found`);
export const SectionNotFound = defineError(
  'SectionNotFound',
  404,
  (id: string) => `Chart section ${id} not found`,
);

/** Selects runs by project and run filters (contract §1.11). */
export const ChartFilters = Type.Object({
  session: Type.Optional(Type.Array(Uuid, { maxItems: 100 })),
  filter: Type.Optional(Type.String()),
  trace_filter: Type.Optional(Type.String()),
  tree_filter: Type.Optional(Type.String()),
});
export type ChartFilters = Static<typeof ChartFilters>;

export const GroupBy = Type.Object({
  attribute: StringEnum(['name', 'run_type', 'tag', 'metadata', 'project', 'status', 'feedback_label']),
  /** The key, for `metadata` and `feedback_label`. */
  path: Type.Optional(Type.String({ maxLength: 200 })),
  max_groups: Type.Integer({ minimum: 1, maximum: 50, default: 5 }),
});
export type GroupBy = Static<typeof GroupBy>;

export const Series = Type.Object({
  id: Type.Optional(Uuid),
  name: Type.String({ default: '' }),
  metric: StringEnum(METRICS),
  /** For `feedback`, `feedback_score_avg` and `feedback_values`. Counts every key if missing. */
  feedback_key: Type.Optional(Type.String()),
  filters: Type.Optional(ChartFilters),
  group_by: Type.Optional(GroupBy),
});
export type Series = Static<typeof Series>;

const ChartType = StringEnum(['line', 'bar', 'table', 'kpi', 'top-k', 'pie'], { default: 'line' });
const SeriesList = Type.Array(Series, { minItems: 1, maxItems: 20 });

export const ChartCreate = Type.Object({
  title: Type.String({ minLength: 1 }),
  description: Type.Optional(Type.String()),
  chart_type: ChartType,
  index: Type.Integer({ default: 0, minimum: 0, maximum: 10_000 }),
  section_id: Type.Optional(Uuid),
  metadata: Type.Optional(JsonObject),
  series: SeriesList,
  common_filters: Type.Optional(ChartFilters),
});
export type ChartCreate = Static<typeof ChartCreate>;

export const ChartPatch = Type.Object({
  title: Type.Optional(Type.String({ minLength: 1 })),
  description: Type.Optional(Type.String()),
  chart_type: Type.Optional(StringEnum(['line', 'bar', 'table', 'kpi', 'top-k', 'pie'])),
  index: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000 })),
  section_id: Type.Optional(Uuid),
  metadata: Type.Optional(JsonObject),
  series: Type.Optional(SeriesList),
  common_filters: Type.Optional(ChartFilters),
});
export type ChartPatch = Static<typeof ChartPatch>;

/** The time range and its buckets. */
export const BucketInfo = Type.Object({
  timezone: Type.String({ default: 'UTC', maxLength: 100 }),
  /** Defaults to one day before the end. */
  start_time: Type.Optional(Timestamp),
  /** Defaults to now. */
  end_time: Type.Optional(Timestamp),
  stride: Type.Object(
    {
      days: Type.Integer({ minimum: 0, maximum: 366, default: 0 }),
      hours: Type.Integer({ minimum: 0, maximum: 24 * 366, default: 0 }),
      minutes: Type.Integer({ minimum: 0, maximum: 60 * 24 * 366, default: 0 }),
    },
    { default: { minutes: 15 } },
  ),
  omit_data: Type.Boolean({ default: false }),
  group_by: Type.Optional(GroupBy),
});
export type BucketInfo = Static<typeof BucketInfo>;

export const Point = Type.Object({
  series_id: Uuid,
  timestamp: Timestamp,
  value: Nullable(Type.Number()),
  group: Nullable(Type.String()),
});
export type Point = Static<typeof Point>;

export const Chart = Type.Object({
  id: Uuid,
  title: Type.String(),
  description: Nullable(Type.String()),
  chart_type: Type.String(),
  index: Type.Integer(),
  section_id: Nullable(Uuid),
  metadata: Nullable(JsonObject),
  series: Type.Array(Type.Object({ ...Series.properties, id: Uuid })),
  common_filters: Nullable(ChartFilters),
});
export type Chart = Static<typeof Chart>;

export const ChartData = Type.Object({ ...Chart.properties, data: Type.Array(Point) });

export const SectionBody = Type.Object({
  title: Type.Optional(Type.String({ minLength: 1 })),
  description: Type.Optional(Type.String()),
  index: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000 })),
});

export const Section = Type.Object({
  id: Uuid,
  title: Type.String(),
  description: Nullable(Type.String()),
  index: Type.Integer(),
});
export type Section = Static<typeof Section>;

export const SectionData = Type.Object({ ...Section.properties, charts: Type.Array(ChartData) });
