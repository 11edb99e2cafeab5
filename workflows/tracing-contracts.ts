/** What crosses Temporal for tracing: ids alone. Fields added later are optional, for work still in flight. */

/** Argument of the `deleteProject` workflow, whose id is `delete-project/<project_id>`. */
export interface DeleteProjectInput {
  tenant_id: string;
  project_id: string;
}

/** Argument of the `deleteTraces` workflow. */
export interface DeleteTracesInput {
  tenant_id: string;
  trace_ids: string[];
}
