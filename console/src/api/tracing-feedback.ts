import { queryOptions } from '@tanstack/react-query';
import { get, post, remove } from './http.ts';
import type { Feedback } from './tracing-records.ts';

export const feedbackKey = (runId: string) => ['feedback', runId];

/** Feedback on a run, newest first (GET /feedback). */
export const feedbackQuery = (runId: string) =>
  queryOptions({
    queryKey: feedbackKey(runId),
    queryFn: ({ signal }) => get<Feedback[]>('/feedback', { query: { run: runId, limit: 100 }, signal }),
  });

export interface FeedbackInput {
  run_id: string;
  key: string;
  score?: number;
  comment?: string;
}

export const createFeedback = (input: FeedbackInput): Promise<Feedback> =>
  post('/feedback', { ...input, feedback_source: { type: 'app' } });
export const deleteFeedback = (id: string): Promise<void> => remove(`/feedback/${id}`);
