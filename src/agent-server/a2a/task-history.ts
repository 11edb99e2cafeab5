import { isUuid } from '../../platform/ids.ts';
import type { TaskRow } from '../runs/task-repository.ts';
import { type Message, type Part, taskId } from './task.ts';

interface StateMessage {
  type?: unknown;
  role?: unknown;
  id?: unknown;
  content?: unknown;
}

// Senders may reuse an id within a context; in the state, the second message would replace the first.
export const stateMessageId = (runId: string, messageId: string): string => `${runId}:${messageId}`;

function sentId(id: string): string {
  const [run = '', ...rest] = id.split(':');
  return rest.length > 0 && isUuid(run) ? rest.join(':') : id;
}

const ROLES: Partial<Record<string, Message['role']>> = {
  human: 'user',
  user: 'user',
  ai: 'agent',
  assistant: 'agent',
  AIMessageChunk: 'agent',
};

/** The messages that belong to the task: from its first one to the end of the state. */
export function messagesOfTask(row: TaskRow, values: Record<string, unknown> | undefined): StateMessage[] {
  const all = listOf(values);
  const sent = listOf(row.input);
  const first = sent.find(({ id }) => typeof id === 'string')?.id;
  if (first === undefined) return values ? all : sent;
  const start = all.findIndex(({ id }) => id === first);
  return start === -1 ? sent : all.slice(start);
}

function listOf(values: unknown): StateMessage[] {
  const messages = (values as { messages?: unknown } | null | undefined)?.messages ?? [];
  return [messages].flat().flatMap((item: unknown) => {
    if (typeof item === 'string') return [{ role: 'user', content: item }];
    return typeof item === 'object' && item !== null ? [item] : [];
  });
}

/** The text messages of users and agents; leaves out tool messages. */
export function historyOf(row: TaskRow, messages: StateMessage[]): Message[] {
  const ids = { contextId: row.thread_id, taskId: taskId(row.thread_id, row.task_id) };
  return messages.flatMap((message, index) => {
    const role = roleOf(message);
    const parts = textParts(message.content);
    if (!role || parts.length === 0) return [];
    const messageId = typeof message.id === 'string' ? sentId(message.id) : `${row.task_id}-${index}`;
    return [{ kind: 'message' as const, role, parts, messageId, ...ids }];
  });
}

export const roleOf = (message: StateMessage | undefined): Message['role'] | undefined =>
  ROLES[String(message?.type ?? message?.role)];

/** The text of a message's content, which is a string or a list of blocks. */
export function textParts(content: unknown): Part[] {
  const blocks: unknown[] = typeof content === 'string' ? [content] : Array.isArray(content) ? content : [];
  return blocks.flatMap((block) => {
    const text = typeof block === 'string' ? block : (block as { text?: unknown } | null)?.text;
    return typeof text === 'string' && text !== '' ? [{ kind: 'text' as const, text }] : [];
  });
}
