import type { Checkpoint, Command, StreamMode, ThreadState } from '@langchain/langgraph-sdk';
import { useStream } from '@langchain/langgraph-sdk/react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { agentClient } from '../../api/agent-client.ts';
import { failureOf, historyQuery, threadQuery } from '../../api/agent-threads.ts';
import { branchOf } from './branches.ts';
import { applyTask, type Step } from './steps.ts';

export type State = Record<string, unknown>;
export type Point = Omit<Checkpoint, 'thread_id'>;

export const STRATEGIES = ['enqueue', 'interrupt', 'rollback', 'reject'] as const;
export type MultitaskStrategy = (typeof STRATEGIES)[number];

const STREAM_MODE: StreamMode[] = ['values', 'messages-tuple', 'tasks', 'custom'];
const MAX_NOTES = 200;
/** Key under which the SDK's hook stores the run to resume after a page load. */
const runKey = (threadId: string): string => `lg:stream:${threadId}`;

export interface PlaygroundOptions {
  deploymentId: string;
  assistantId: string;
  threadId: string | null;
  onThreadId: (threadId: string) => void;
}

/** State and actions of a conversation with an assistant. */
export function usePlayground({ deploymentId, assistantId, threadId, onThreadId }: PlaygroundOptions) {
  const queries = useQueryClient();
  const client = useMemo(() => agentClient(deploymentId), [deploymentId]);
  const [steps, setSteps] = useState<Step[]>([]);
  const [notes, setNotes] = useState<unknown[]>([]);
  const [runId, setRunId] = useState<string>();
  const [isCancelling, setCancelling] = useState(false);
  const [refused, setRefused] = useState<unknown>();
  const [wanted, setWanted] = useState<string>();

  const history = useQuery({ ...historyQuery(deploymentId, threadId ?? ''), enabled: threadId !== null });
  // Error of a run that this page did not stream; the stream reports the others.
  const { data: thread } = useQuery({
    ...threadQuery(deploymentId, threadId ?? ''),
    enabled: threadId !== null && runId === undefined,
  });
  const stream = useStream<State>({
    client,
    assistantId,
    threadId,
    onThreadId,
    reconnectOnMount: true,
    fetchStateHistory: { limit: 100 },
    throttle: true,
    thread: {
      data: threadId === null ? [] : (history.data as ThreadState<State>[] | undefined),
      error: history.error,
      isLoading: history.isLoading,
      mutate: async (id) => {
        const of = id ?? threadId;
        if (!of) return [];
        const query = historyQuery(deploymentId, of);
        // A fetch from before the run's end would be joined, and lack its last checkpoints.
        await queries.cancelQueries(query);
        return (await queries.fetchQuery({ ...query, staleTime: 0 })) as ThreadState<State>[];
      },
    },
    onMetadataEvent: ({ run_id }) => {
      setRunId(run_id);
      setSteps([]);
      setNotes([]);
    },
    onTaskEvent: (data, { namespace }) => setSteps((before) => applyTask(before, data, namespace)),
    onCustomEvent: (data) => setNotes((before) => [...before, data].slice(-MAX_NOTES)),
    onFinish: () => setCancelling(false),
    onError: () => setCancelling(false),
  });
  useEffect(() => {
    setSteps([]);
    setNotes([]);
    setRefused(undefined);
  }, [threadId === null]);

  // Selects the branch of a new checkpoint once it appears in the history.
  const branch = wanted && branchOf(stream.experimental_branchTree, wanted);
  useEffect(() => {
    if (branch === undefined || !wanted) return;
    stream.setBranch(branch);
    setWanted(undefined);
  }, [branch, wanted]);

  const doing = async (work: () => Promise<unknown>): Promise<void> => {
    setRefused(undefined);
    try {
      await work();
    } catch (error) {
      setRefused(error);
      setCancelling(false);
    }
  };
  const options = { streamMode: STREAM_MODE, streamSubgraphs: true, streamResumable: true };

  return {
    client,
    stream,
    steps,
    notes,
    runId,
    isCancelling,
    error:
      refused ?? stream.error ?? (runId === undefined && !stream.isLoading ? failureOf(thread) : undefined),
    /** Checkpoints of all branches, newest first. */
    checkpoints: history.data ?? [],
    /** Starts a run. If another one is active, the server applies `strategy`; follows an accepted run. */
    send: (input: State, strategy: MultitaskStrategy) =>
      doing(async () => {
        if (!stream.isLoading || !threadId)
          return stream.submit(input, {
            ...options,
            multitaskStrategy: strategy,
            optimisticValues: (before) => withMessages(before, input),
          });
        const run = await client.runs.create(threadId, assistantId, {
          input,
          multitaskStrategy: strategy,
          ...options,
        });
        await stream.joinStream(run.run_id);
        sessionStorage.setItem(runKey(threadId), run.run_id);
      }),
    /** Answers interrupts. */
    resume: (command: Command) => doing(() => stream.submit(undefined, { ...options, command })),
    /** Reruns from a checkpoint, on a new branch. */
    replay: (checkpoint: Point, input?: State) =>
      doing(() => stream.submit(input, { ...options, checkpoint })),
    /** Writes to the state at a checkpoint, which creates a new branch. */
    fork: async (checkpoint: Checkpoint, values: State, asNode?: string): Promise<void> => {
      const made = await client.threads.updateState(threadId!, {
        values,
        checkpoint,
        ...(asNode && { asNode }),
      });
      await history.refetch();
      setWanted(made.configurable?.checkpoint_id ?? undefined);
    },
    cancel: () =>
      doing(async () => {
        if (!threadId || !runId) return;
        setCancelling(true);
        await client.runs.cancel(threadId, runId, true);
      }),
  };
}

export type Playground = ReturnType<typeof usePlayground>;

/** Shows sent messages immediately. */
const withMessages = (before: State, { messages }: State): State =>
  Array.isArray(messages)
    ? { ...before, messages: [...(Array.isArray(before['messages']) ? before['messages'] : []), ...messages] }
    : before;
