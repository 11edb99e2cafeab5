import { type Static, Type } from 'typebox';
import { uuid7 } from '../../platform/ids.ts';
import { compileValidator, JsonObject, Uuid } from '../../platform/schema.ts';
import { readTime } from '../runs/run-time.ts';

const MAX_KEY_LENGTH = 1_000;
const Time = Type.Union([Type.String(), Type.Number()]);

export const FeedbackKey = Type.String({ minLength: 1, maxLength: MAX_KEY_LENGTH });
export const Score = Type.Union([Type.Number(), Type.Boolean(), Type.Null()]);

/** How to interpret the values of a feedback key (contract §1.13). */
export const FeedbackConfig = Type.Object({
  type: Type.String(),
  min: Type.Optional(Type.Number()),
  max: Type.Optional(Type.Number()),
  categories: Type.Optional(Type.Array(Type.Unknown())),
});
export type FeedbackConfig = Static<typeof FeedbackConfig>;

/** Feedback as clients send it (contract §1.13). Times are ISO 8601 or milliseconds since 1970. */
export const FeedbackCreate = Type.Object({
  id: Type.Optional(Uuid),
  run_id: Type.Optional(Uuid),
  trace_id: Type.Optional(Uuid),
  session_id: Type.Optional(Uuid),
  key: FeedbackKey,
  score: Type.Optional(Score),
  value: Type.Optional(Type.Unknown()),
  comment: Type.Optional(Type.String()),
  correction: Type.Optional(Type.Unknown()),
  feedback_source: Type.Optional(JsonObject),
  feedback_config: Type.Optional(FeedbackConfig),
  feedbackConfig: Type.Optional(FeedbackConfig),
  feedback_group_id: Type.Optional(Uuid),
  comparative_experiment_id: Type.Optional(Uuid),
  extra: Type.Optional(JsonObject),
  error: Type.Optional(Type.Boolean()),
  extend_trace_retention: Type.Optional(Type.Boolean()),
  start_time: Type.Optional(Time),
  created_at: Type.Optional(Time),
  modified_at: Type.Optional(Time),
});
export type FeedbackCreate = Static<typeof FeedbackCreate>;

/** Feedback to store. */
export interface NewFeedback {
  id: string;
  run_id: string | null;
  trace_id: string | null;
  project_id: string | null;
  key: string;
  score: number | null;
  value: unknown;
  comment: string | null;
  correction: unknown;
  source: JsonObject;
  source_type: string;
  feedback_group_id: string | null;
  comparative_experiment_id: string | null;
  extra: JsonObject | null;
  error: boolean;
  /** Whether it extends the retention of its trace. */
  keeps_trace: boolean;
  created_at: string | null;
  feedback_config: FeedbackConfig | undefined;
}

/** Fields that may contain personal text and need masking. */
export const TEXT_FIELDS = [
  'value',
  'comment',
  'correction',
  'extra',
  'source',
] satisfies (keyof NewFeedback)[];

const check = compileValidator(FeedbackCreate, 'body');

/** Throws InvalidRequest. */
export function readFeedback(sent: unknown): NewFeedback {
  const feedback = check(sent);
  const source = feedback.feedback_source ?? {};
  return {
    id: feedback.id ?? uuid7(),
    run_id: feedback.run_id ?? null,
    trace_id: feedback.trace_id ?? null,
    project_id: feedback.session_id ?? null,
    key: feedback.key,
    score: scoreOf(feedback.score),
    value: feedback.value ?? null,
    comment: feedback.comment ?? null,
    correction: feedback.correction ?? null,
    source,
    source_type: typeof source['type'] === 'string' ? source['type'] : 'api',
    feedback_group_id: feedback.feedback_group_id ?? null,
    comparative_experiment_id: feedback.comparative_experiment_id ?? null,
    extra: feedback.extra ?? null,
    error: feedback.error ?? false,
    keeps_trace: feedback.extend_trace_retention ?? true,
    created_at: readTime(feedback.created_at) ?? null,
    feedback_config: feedback.feedback_config ?? feedback.feedbackConfig,
  };
}

/** Maps true to 1 and false to 0. */
export const scoreOf = (score: number | boolean | null | undefined): number | null =>
  score == null ? null : Number(score);

export const FeedbackUpdate = Type.Object({
  score: Type.Optional(Score),
  value: Type.Optional(Type.Unknown()),
  comment: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  correction: Type.Optional(Type.Unknown()),
  feedback_config: Type.Optional(FeedbackConfig),
});
export type FeedbackUpdate = Static<typeof FeedbackUpdate>;
