import type { JsonObject } from '../../platform/schema.ts';
import type { TaskState } from '../runs/task-repository.ts';

export type { TaskState };

// The protocol 0.3 types, used throughout this folder; `spelling.ts` converts them to 1.0.

export type Part = { kind: 'text'; text: string } | { kind: 'data'; data: JsonObject };

export interface Message {
  kind: 'message';
  role: 'user' | 'agent';
  parts: Part[];
  messageId: string;
  contextId: string;
  taskId: string;
}

export interface TaskStatus {
  state: TaskState;
  timestamp: string;
  message?: Message;
}

export interface Artifact {
  artifactId: string;
  name: string;
  description: string;
  parts: Part[];
}

export interface Task {
  kind: 'task';
  id: string;
  contextId: string;
  status: TaskStatus;
  history: Message[];
  artifacts?: Artifact[];
}

export interface StatusUpdate {
  kind: 'status-update';
  taskId: string;
  contextId: string;
  status: TaskStatus;
  final: boolean;
}

export interface ArtifactUpdate {
  kind: 'artifact-update';
  taskId: string;
  contextId: string;
  artifact: Artifact;
  append: boolean;
  lastChunk: boolean;
}

/** The thread's id and the id of the task's first run. */
export const taskId = (contextId: string, runId: string): string => `${contextId}:${runId}`;

export const TERMINAL_STATES: ReadonlySet<TaskState> = new Set(['completed', 'failed', 'canceled']);
