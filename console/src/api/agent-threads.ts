import type { Run, Thread, ThreadState } from '@langchain/langgraph-sdk';
import { queryOptions } from '@tanstack/react-query';
import { agentPath } from './agent-assistants.ts';
import { get, post, remove } from './http.ts';

const LIVE_MS = 2_000;
const HISTORY = 100;
/** Threads per page. */
export const THREADS_PAGE = 50;

export interface ThreadFilter {
  status?: string;
  metadata?: unknown;
  values?: unknown;
  offset: number;
}

/** Arguments of the run (contract §5.1). */
export interface RunRecord extends Run {
  kwargs: Record<string, unknown>;
}

export const isLive = (status: string | undefined): boolean =>
  status === 'pending' || status === 'running' || status === 'busy';

const threadPath = (deploymentId: string, threadId: string): string =>
  `${agentPath(deploymentId)}/threads/${threadId}`;

/** The assistant recorded in the metadata by runs; empty before the first run. */
export const assistantOf = ({ metadata }: Pick<Thread, 'metadata'>): string =>
  wordAt(metadata, 'assistant_id');
export const graphOf = ({ metadata }: Pick<Thread, 'metadata'>): string => wordAt(metadata, 'graph_id');

function wordAt(metadata: Thread['metadata'], name: string): string {
  const value = (metadata as Record<string, unknown> | null)?.[name];
  return typeof value === 'string' ? value : '';
}

/** Fetches one thread more than a page, to detect a next page. */
export const threadsQuery = (deploymentId: string, filter: ThreadFilter) =>
  queryOptions({
    queryKey: ['agent', deploymentId, 'threads', filter],
    queryFn: ({ signal }) =>
      post<Thread[]>(
        `${agentPath(deploymentId)}/threads/search`,
        {
          ...filter,
          limit: THREADS_PAGE + 1,
          select: ['thread_id', 'status', 'metadata', 'created_at', 'updated_at', 'interrupts', 'error'],
        },
        { signal },
      ),
    refetchInterval: LIVE_MS * 2,
  });

export const threadQuery = (deploymentId: string, threadId: string) =>
  queryOptions({
    queryKey: ['agent', deploymentId, 'thread', threadId],
    queryFn: ({ signal }) => get<Thread>(threadPath(deploymentId, threadId), { signal }),
    refetchInterval: LIVE_MS,
  });

/** Error of the thread's last run. */
export function failureOf(thread: Thread | undefined): { name: string; message: string } | undefined {
  const { status, error } = (thread ?? {}) as { status?: string; error?: unknown };
  if (status !== 'error' || !error) return undefined;
  const { error: name, message } = error as { error: string; message: string };
  return { name, message };
}

/** Newest first. */
export const historyQuery = (deploymentId: string, threadId: string) =>
  queryOptions({
    queryKey: ['agent', deploymentId, 'thread', threadId, 'history'],
    queryFn: ({ signal }) =>
      post<ThreadState[]>(`${threadPath(deploymentId, threadId)}/history`, { limit: HISTORY }, { signal }),
  });

export const runsQuery = (deploymentId: string, threadId: string) =>
  queryOptions({
    queryKey: ['agent', deploymentId, 'thread', threadId, 'runs'],
    queryFn: ({ signal }) =>
      get<RunRecord[]>(`${threadPath(deploymentId, threadId)}/runs`, { query: { limit: 100 }, signal }),
    refetchInterval: LIVE_MS,
  });

export const runQuery = (deploymentId: string, threadId: string, runId: string) =>
  queryOptions({
    queryKey: ['agent', deploymentId, 'thread', threadId, 'runs', runId],
    queryFn: ({ signal }) =>
      get<RunRecord>(`${threadPath(deploymentId, threadId)}/runs/${runId}`, { signal }),
    refetchInterval: ({ state }) => (isLive(state.data?.status) ? LIVE_MS : false),
  });

/** Stream of a run, from the start if its events are stored. */
export const runStreamPath = (deploymentId: string, threadId: string, runId: string): string =>
  `${threadPath(deploymentId, threadId)}/runs/${runId}/stream`;

export const removeThread = (deploymentId: string, threadId: string): Promise<void> =>
  remove(threadPath(deploymentId, threadId));
export const removeRun = (deploymentId: string, threadId: string, runId: string): Promise<void> =>
  remove(`${threadPath(deploymentId, threadId)}/runs/${runId}`);
/** Resolves when the run has stopped. */
export const cancelRun = (deploymentId: string, threadId: string, runId: string): Promise<unknown> =>
  post(`${threadPath(deploymentId, threadId)}/runs/${runId}/cancel?wait=1&action=interrupt`, undefined);
