import { type Static, Type } from 'typebox';
import { sqlState } from '../../platform/db/database.ts';
import { defineError } from '../../platform/errors.ts';
import { uuid7 } from '../../platform/ids.ts';
import { JsonObject, Nullable, StringEnum, Timestamp, Uuid } from '../../platform/schema.ts';

export const ProjectNotFound = defineError('ProjectNotFound', 404, (id: string) => `Project ${id} not found`);

const ProjectExists = defineError(
  'ProjectExists',
  409,
  (name: string) => `A project named '${name}' already exists`,
);

/**
 * A project, `session` on the wire (contract §1.12). Always has `reference_dataset_id`, by which clients recognise
 * experiments.
 */
export const Project = Type.Object({
  id: Uuid,
  tenant_id: Uuid,
  name: Type.String(),
  description: Nullable(Type.String()),
  extra: JsonObject,
  reference_dataset_id: Nullable(Uuid),
  default_dataset_id: Nullable(Uuid),
  trace_tier: Nullable(Type.String()),
  /** Retention of its runs in days, overriding the tier. Null means the default of the tier or platform. */
  retention_days: Nullable(Type.Integer()),
  /** Retention in days for the long tier. Null means the platform's default. */
  longlived_ttl_days: Nullable(Type.Integer()),
  start_time: Timestamp,
  end_time: Nullable(Timestamp),
});
export type Project = Static<typeof Project>;

const Name = Type.String({ minLength: 1, maxLength: 100_000 });
const Tier = StringEnum(['longlived', 'shortlived']);
const Days = Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 36_500 })));
const Extra = Type.Object({ metadata: Type.Optional(JsonObject) });

export const ProjectCreate = Type.Object({
  id: Type.Optional(Uuid),
  name: Name,
  description: Type.Optional(Type.String()),
  extra: Type.Optional(Extra),
  reference_dataset_id: Type.Optional(Uuid),
  default_dataset_id: Type.Optional(Uuid),
  trace_tier: Type.Optional(Tier),
  retention_days: Days,
  longlived_ttl_days: Days,
  start_time: Type.Optional(Timestamp),
  end_time: Type.Optional(Timestamp),
  // Stored in `extra`.
  num_examples: Type.Optional(Type.Integer({ minimum: 0 })),
  num_repetitions: Type.Optional(Type.Integer({ minimum: 0 })),
  evaluator_keys: Type.Optional(Type.Array(Type.String())),
  tag_value_ids: Type.Optional(Type.Array(Uuid)),
});
export type ProjectCreate = Static<typeof ProjectCreate>;

/** A project to store; fields without a column go to `extra`. */
export type NewProject = Omit<
  ProjectCreate,
  'extra' | 'num_examples' | 'num_repetitions' | 'evaluator_keys' | 'tag_value_ids'
> & { id: string; extra: JsonObject };

export function newProject({ extra, ...body }: ProjectCreate): NewProject {
  const { num_examples, num_repetitions, evaluator_keys, tag_value_ids, ...given } = body;
  return {
    ...given,
    id: given.id ?? uuid7(),
    extra: { ...extra, num_examples, num_repetitions, evaluator_keys, tag_value_ids },
  };
}

const UNIQUE_VIOLATION = '23505';
/** Rejection handler for statements that fail if the name is taken. Throws ProjectExists, or rethrows. */
export const refuseTaken =
  (name: string) =>
  (error?: unknown): never => {
    throw error === undefined || sqlState(error) === UNIQUE_VIOLATION ? new ProjectExists(name) : error;
  };

export const ProjectPatch = Type.Object({
  name: Type.Optional(Name),
  description: Type.Optional(Type.String()),
  extra: Type.Optional(Extra),
  default_dataset_id: Type.Optional(Uuid),
  trace_tier: Type.Optional(Tier),
  // Null means the default of the tier or platform.
  retention_days: Days,
  longlived_ttl_days: Days,
  end_time: Type.Optional(Timestamp),
});
export type ProjectPatch = Static<typeof ProjectPatch>;

/** Sort orders: columns, or statistics of runs. */
export const PROJECT_SORTS = [
  'start_time',
  'end_time',
  'name',
  'created_at',
  'modified_at',
  'run_count',
  'latency_p50',
  'latency_p95',
  'latency_p99',
  'latency',
  'error_rate',
  'last_run_start_time',
  'last_run_start_time_live',
  'total_tokens',
  'total_cost',
  'feedback',
] as const;

export const ProjectQuery = Type.Object({
  id: Type.Optional(Type.Array(Uuid, { maxItems: 1000 })),
  name: Type.Optional(Type.String()),
  name_contains: Type.Optional(Type.String()),
  reference_dataset: Type.Optional(Type.Array(Uuid, { maxItems: 1000 })),
  reference_free: Type.Optional(Type.Boolean()),
  include_stats: Type.Boolean({ default: false }),
  /** Whether statistics include facets of the runs. */
  facets: Type.Boolean({ default: false }),
  filter: Type.Optional(Type.String({ maxLength: 65_536 })),
  dataset_version: Type.Optional(Type.String()),
  metadata: Type.Optional(Type.String()),
  tag_value_id: Type.Optional(Type.Array(Uuid, { maxItems: 100 })),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 100 }),
  offset: Type.Integer({ minimum: 0, default: 0 }),
  sort_by: StringEnum(PROJECT_SORTS, { default: 'start_time' }),
  sort_by_desc: Type.Boolean({ default: true }),
  /** Sorts by the mean score of this key and overrides `sort_by`. */
  sort_by_feedback_key: Type.Optional(Type.String({ maxLength: 1_000 })),
});
export type ProjectQuery = Static<typeof ProjectQuery>;
