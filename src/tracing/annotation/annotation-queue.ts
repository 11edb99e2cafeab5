import { type Static, Type } from 'typebox';
import { Clearable, JsonObject, StringEnum, Uuid } from '../../platform/schema.ts';

const Name = Type.String({ minLength: 1, maxLength: 1_000 });

const Described = {
  description: Clearable(Type.String()),
  default_dataset: Clearable(Uuid),
  rubric_instructions: Clearable(Type.String()),
  rubric_items: Clearable(Type.Array(JsonObject)),
  num_reviewers_per_item: Clearable(Type.Integer({ minimum: 1, maximum: 1_000 })),
  enable_reservations: Type.Optional(Type.Boolean()),
  reservation_minutes: Clearable(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  reviewer_access_mode: Type.Optional(StringEnum(['any', 'assigned'])),
  metadata: Type.Optional(JsonObject),
};

export const QueueCreate = Type.Object({
  ...Described,
  id: Type.Optional(Uuid),
  name: Name,
  session_ids: Type.Optional(Type.Array(Uuid, { maxItems: 1_000 })),
});
export type QueueCreate = Static<typeof QueueCreate>;

export const QueueUpdate = Type.Object({ ...Described, name: Type.Optional(Name) });
export type QueueUpdate = Static<typeof QueueUpdate>;

/** A list of runs for human review (contract §1.13). */
export interface AnnotationQueue extends QueueUpdate {
  id: string;
  tenant_id: string;
  name: string;
  created_at: string;
  updated_at: string;
  /** Pending runs and threads. */
  total_runs: number;
}

/** Who still has to review an item. `archived` is a synonym of `completed`. */
export const REVIEW_STATUSES = ['needs_my_review', 'needs_others_review', 'completed', 'archived'] as const;
export type ReviewStatus = (typeof REVIEW_STATUSES)[number];

export const ITEM_TYPES = ['RUN', 'THREAD'] as const;
export type ItemType = (typeof ITEM_TYPES)[number];

/** A run, or a thread of a project, in a queue. */
export interface QueueRun {
  id: string;
  queue_id: string;
  /** Null for threads. */
  run_id: string | null;
  /** Null for runs. */
  project_id: string | null;
  thread_id: string | null;
  source_proposed_example_id: string | null;
  added_at: string;
  effective_added_at: string;
  last_reviewed_time: string | null;
  /** When the required number of reviewers had completed it. */
  completed_at: string | null;
  reserved_by: string[];
  completed_by: string[];
}
