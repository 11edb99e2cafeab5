import { queryOptions } from '@tanstack/react-query';
import { agentPath } from './agent-assistants.ts';
import { patch, post, remove } from './http.ts';

/** A cron (contract §7). */
export interface CronRecord {
  cron_id: string;
  assistant_id: string;
  thread_id: string | null;
  schedule: string;
  timezone: string | null;
  end_time: string | null;
  /** Body of its runs. */
  payload: Record<string, unknown>;
  next_run_date: string | null;
  metadata: Record<string, unknown>;
  on_run_completed: 'delete' | 'keep' | null;
  enabled: boolean;
  created_at: string;
}

export interface CronDraft {
  assistant_id: string;
  schedule: string;
  timezone: string | null;
  input: unknown;
  on_run_completed?: 'delete' | 'keep';
}

const MAX = 1000;

export const cronsQuery = (deploymentId: string) =>
  queryOptions({
    queryKey: ['agent', deploymentId, 'crons'],
    queryFn: ({ signal }) =>
      post<CronRecord[]>(`${agentPath(deploymentId)}/runs/crons/search`, { limit: MAX }, { signal }),
    refetchInterval: 10_000,
  });

/** Runs on the given thread, or on a new thread each time. */
export const createCron = (
  deploymentId: string,
  draft: CronDraft,
  threadId: string | null,
): Promise<CronRecord> =>
  post<CronRecord>(
    threadId
      ? `${agentPath(deploymentId)}/threads/${threadId}/runs/crons`
      : `${agentPath(deploymentId)}/runs/crons`,
    draft,
  );

export const enableCron = (deploymentId: string, cronId: string, enabled: boolean): Promise<CronRecord> =>
  patch<CronRecord>(`${agentPath(deploymentId)}/runs/crons/${cronId}`, { enabled });

export const removeCron = (deploymentId: string, cronId: string): Promise<void> =>
  remove(`${agentPath(deploymentId)}/runs/crons/${cronId}`);

/**
 * Starts a run like the cron's immediately, without changing its schedule. Keeps a newly created thread for
 * inspection.
 */
export const triggerCron = (
  deploymentId: string,
  cronId: string,
): Promise<{ run_id: string; thread_id: string }> =>
  post(`${agentPath(deploymentId)}/runs/crons/${cronId}/trigger`, { on_run_completed: 'keep' });
