import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { get, post, remove } from './http.ts';
import { readAll } from './read-all.ts';

/** An annotation queue. */
export interface Queue {
  id: string;
  name: string;
  description: string | null;
  /** Instructions for reviewers, in Markdown. */
  rubric_instructions: string | null;
  num_reviewers_per_item: number | null;
  updated_at: string;
  /** Pending runs. */
  total_runs: number;
}

/** A run at a position in a queue. */
export interface QueuedRun {
  id: string;
  queue_run_id: string;
  added_at: string;
  completed_by: string[];
}

export type Section = 'needs_my_review' | 'needs_others_review' | 'completed';

const QUEUES = ['queues'];

/** Queues, newest first (GET /annotation-queues). */
export const queuesQuery = queryOptions({
  queryKey: QUEUES,
  queryFn: ({ signal }) => readAll((query) => get<Queue[]>('/annotation-queues', { query, signal })),
});

export const queueQuery = (id: string) =>
  queryOptions({
    queryKey: [...QUEUES, id],
    queryFn: ({ signal }) => get<Queue>(`/annotation-queues/${id}`, { signal }),
  });

/** Number of runs in a section of a queue (GET /annotation-queues/{id}/size). */
export const queueSizeQuery = (id: string, status: Section) =>
  queryOptions({
    queryKey: [...QUEUES, id, 'size', status],
    queryFn: ({ signal }) =>
      get<{ size: number }>(`/annotation-queues/${id}/size`, { query: { status }, signal }),
    placeholderData: keepPreviousData,
  });

/** The run at a position of a section, oldest first; null past the end (GET /annotation-queues/{id}/runs). */
export const queuedRunQuery = (id: string, status: Section, offset: number) =>
  queryOptions({
    queryKey: [...QUEUES, id, 'run', status, offset],
    queryFn: async ({ signal }) => {
      const query = { status, offset, limit: 1 };
      const [run] = await get<QueuedRun[]>(`/annotation-queues/${id}/runs`, { query, signal });
      return run ?? null;
    },
  });

export const createQueue = (body: { name: string; rubric_instructions?: string }): Promise<Queue> =>
  post('/annotation-queues', body);
export const deleteQueue = (id: string): Promise<void> => remove(`/annotation-queues/${id}`);

/** Adds a run to a queue. A run already in it keeps its position. */
export const addToQueue = (id: string, runId: string): Promise<unknown> =>
  post(`/annotation-queues/${id}/runs`, [runId]);

/** Marks a run as reviewed by the caller. */
export const completeReview = (queueRunId: string): Promise<unknown> =>
  post(`/annotation-queues/status/${queueRunId}`, { status: 'completed' });

export const removeFromQueue = (id: string, queueRunId: string): Promise<void> =>
  remove(`/annotation-queues/${id}/runs/${queueRunId}`);
