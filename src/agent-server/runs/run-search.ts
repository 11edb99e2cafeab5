import { type Static, Type } from 'typebox';
import { PAGE, SortOrder } from '../../platform/http/pagination.ts';
import { JsonObject, Nullable, StringEnum, Uuid } from '../../platform/schema.ts';
import { RUN_FIELDS, RunStatus } from '../records/run.ts';

const FILTER = {
  thread_id: Type.Optional(Uuid),
  /** Id, or graph name. */
  assistant_id: Type.Optional(Type.String()),
  status: Type.Optional(RunStatus),
};

export const RunStatsQuery = Type.Object(FILTER);

export const RunFilter = Type.Object({ ...FILTER, metadata: Type.Optional(JsonObject) });
export type RunFilter = Static<typeof RunFilter>;

export const RunSearch = Type.Object({
  ...RunFilter.properties,
  ...PAGE,
  ids: Type.Optional(Type.Array(Uuid)),
  /** Ids are ordered by time. */
  sort_by: StringEnum(['run_id', 'created_at', 'updated_at', 'status', 'thread_id', 'assistant_id'], {
    default: 'run_id',
  }),
  sort_order: SortOrder,
  select: Type.Optional(Type.Array(StringEnum(RUN_FIELDS))),
});
export type RunSearch = Static<typeof RunSearch>;

/** Number of runs by status, and how long due runs have waited; field names as in `/metrics`. */
export const RunStats = Type.Object({
  n_runs: Type.Integer(),
  n_pending: Type.Integer(),
  n_running: Type.Integer(),
  n_success: Type.Integer(),
  n_error: Type.Integer(),
  n_timeout: Type.Integer(),
  n_interrupted: Type.Integer(),
  pending_runs_wait_time_max_secs: Nullable(Type.Number()),
  pending_runs_wait_time_med_secs: Nullable(Type.Number()),
});
export type RunStats = Static<typeof RunStats>;
