/** What crosses Temporal for tracing: ids and dates. New fields are optional, because older work is still in flight. */

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

/** Both deletions return the number of deleted runs. */
export type DeleteProjectWorkflow = (input: DeleteProjectInput) => Promise<{ runs: number }>;
export type DeleteTracesWorkflow = (input: DeleteTracesInput) => Promise<{ runs: number }>;

/** Each resumes where an earlier attempt stopped. */
export interface DeletionActivities {
  /** Hides the project from every list. */
  removeProject(input: DeleteProjectInput): Promise<void>;
  /** Deletes the project's runs with their bodies and feedback. */
  removeRunsOfProject(input: DeleteProjectInput): Promise<number>;
  removeTraces(input: DeleteTracesInput): Promise<number>;
}

/** Selects runs with `start_time` ≤ start < `end_time`. */
export interface RecomputeInput {
  tenant_id: string;
  session_id?: string;
  start_time?: string;
  end_time?: string;
}

export interface Recomputed {
  /** Runs examined. */
  runs: number;
  /** Runs whose cost changed. */
  changed: number;
}

export type RecomputeCostsWorkflow = (input: RecomputeInput) => Promise<Recomputed>;

export interface UsageActivities {
  /** Counts tokens of model calls that reported none. */
  sweepUsage(): Promise<object>;
  /** Resumes where an earlier attempt stopped. */
  recomputeCosts(input: RecomputeInput): Promise<Recomputed>;
}

export interface ExportActivities {
  /** Resumes where an earlier attempt stopped. */
  writeExport(exportId: string): Promise<void>;
  failExport(exportId: string): Promise<void>;
}

/** Activities of the periodic sweeps of tracing. */
export interface TraceUpkeepActivities {
  /** Removes runs, bodies and attachments past their retention. */
  sweepTraceWeeks(): Promise<object>;
  /** Moves runs below parents that arrived later, and lists runs whose parents never did. */
  sweepOrphans(): Promise<object>;
  /** Recounts the minutes in which runs were written. */
  foldRunMinutes(): Promise<object>;
  /** Ends executions of `packRuns` that an older version left open. */
  packQuietRuns(): Promise<object>;
}
