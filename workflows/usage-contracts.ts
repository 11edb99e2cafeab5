/** Of which runs the costs are counted anew: of those that began from `start_time` on and before `end_time`. */
export interface RecomputeInput {
  tenant_id: string;
  session_id?: string;
  start_time?: string;
  end_time?: string;
}

export interface Recomputed {
  /** Runs looked at. */
  runs: number;
  /** Those of which the cost is another now. */
  changed: number;
}
