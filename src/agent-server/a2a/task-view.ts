import type { AgentDeps } from '../agent-deps.ts';
import { findLastOfRun } from '../checkpoints/checkpoint-repository.ts';
import type { TaskRow } from '../runs/task-repository.ts';
import { readThreadState } from '../threads/state-service.ts';
import { findThread } from '../records/thread-repository.ts';
import { historyOf, messagesOfTask, roleOf, textParts } from './task-history.ts';
import { type Artifact, type Message, type Part, type Task, taskId, type TaskStatus } from './task.ts';

export interface TaskDetail {
  /** Maximum number of messages; keeps the last ones. */
  historyLength: number;
  artifacts: boolean;
}

interface Outcome {
  values: Record<string, unknown>;
  interrupts: { id?: string; value?: unknown }[];
}

/** A task as callers see it (contract §11.3). */
export async function viewTask(deps: AgentDeps, row: TaskRow, detail: TaskDetail): Promise<Task> {
  const wanted = detail.artifacts || detail.historyLength > 0 || row.state === 'input-required';
  const outcome = wanted ? await outcomeOf(deps, row) : undefined;
  const messages = messagesOfTask(row, outcome?.values);
  const artifacts = outcome && detail.artifacts ? artifactsOf(row, outcome) : [];
  return {
    kind: 'task',
    id: taskId(row.thread_id, row.task_id),
    contextId: row.thread_id,
    status: statusOf(row, outcome),
    history: detail.historyLength > 0 ? historyOf(row, messages).slice(-detail.historyLength) : [],
    ...(artifacts.length > 0 && { artifacts }),
  };
}

/** The state its last run left; undefined while the run is active. */
async function outcomeOf(deps: AgentDeps, { thread_id, run_id, state, latest }: TaskRow) {
  if (state === 'submitted' || state === 'working') return undefined;
  if (latest) {
    const thread = await findThread(deps.db, thread_id);
    const interrupts = Object.values(thread?.interrupts ?? {}).flat();
    return { values: thread?.values ?? {}, interrupts };
  }
  const checkpoint_id = await findLastOfRun(deps.db, thread_id, run_id);
  if (!checkpoint_id) return undefined;
  return (await readThreadState(deps, thread_id, { checkpoint_id }, false)) as unknown as Outcome;
}

function statusOf(row: TaskRow, outcome: Outcome | undefined): TaskStatus {
  const { state, error, updated_at } = row;
  const parts =
    state === 'failed' && error
      ? [text(`${error.error}: ${error.message}`)]
      : state === 'input-required'
        ? (outcome?.interrupts ?? []).flatMap(questionParts)
        : [];
  return {
    state,
    timestamp: new Date(updated_at).toISOString(),
    ...(parts.length > 0 && { message: agentMessage(row, parts) }),
  };
}

/** A message from the agent about the task, outside the conversation. */
export const agentMessage = (
  { thread_id, task_id, run_id }: Pick<TaskRow, 'thread_id' | 'task_id' | 'run_id'>,
  parts: Part[],
): Message => ({
  kind: 'message',
  role: 'agent',
  parts,
  messageId: `${run_id}-status`,
  contextId: thread_id,
  taskId: taskId(thread_id, task_id),
});

const text = (value: string): Part => ({ kind: 'text', text: value });

/** Formats an interrupt as data, plus text if it is a plain question. */
const questionParts = ({ id, value }: Outcome['interrupts'][number]): Part[] => [
  ...(typeof value === 'string' ? [text(value)] : []),
  { kind: 'data', data: { id, value } },
];

function artifactsOf(row: TaskRow, { values, interrupts }: Outcome): Artifact[] {
  if (row.state === 'input-required') {
    return interrupts.map(({ id, value }, index) => ({
      artifactId: id ?? `${row.run_id}-${index}`,
      name: 'Interrupt',
      description: 'What the agent waits for',
      parts: [{ kind: 'data', data: { id, value } }],
    }));
  }
  if (row.state !== 'completed') return [];
  const last = messagesOfTask(row, values).at(-1);
  const answer = roleOf(last) === 'agent' ? textParts(last?.content) : [];
  const { messages: _messages, ...data } = values;
  if (answer.length === 0 && Object.keys(data).length === 0) return [];
  return [
    {
      artifactId: row.run_id,
      name: 'Assistant Response',
      description: 'What the agent made',
      parts: answer.length > 0 ? answer : [{ kind: 'data', data }],
    },
  ];
}
