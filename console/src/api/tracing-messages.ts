import { queryOptions } from '@tanstack/react-query';
import { get } from './http.ts';
import type { JsonRecord } from './tracing-records.ts';

export type Role = 'system' | 'reasoning' | 'user' | 'assistant' | 'tool';

export interface MediaItem {
  type: 'image' | 'file' | 'audio' | 'video';
  url?: string;
  base64?: string;
  id?: string;
  mime_type?: string;
  extras?: JsonRecord;
}
export interface ToolCallItem {
  type: 'tool_call' | 'server_tool_call';
  name?: string;
  args: JsonRecord;
  id?: string;
}
export interface ServerToolResultItem {
  type: 'server_tool_result';
  tool_call_id: string;
  status: 'success' | 'error';
  output: unknown;
}
export interface TextItem {
  type: 'text' | 'reasoning';
  text: string;
  annotations?: JsonRecord[];
}
export type ContentItem = TextItem | MediaItem | ToolCallItem | ServerToolResultItem;

export interface Message {
  role: Role;
  content: ContentItem[];
  tool_call_id?: string;
  usage_metadata?: { input_tokens: number; output_tokens: number; total_tokens: number };
}

/** A run's messages in the platform's format. `first_output` is the index of the first output message. */
export interface RunMessages {
  messages: Message[];
  first_output: number;
  warnings: { index: number; code: string; detail: string }[];
  format: { inputs: string | null; outputs: string | null };
}

/** GET /runs/{id}/messages. */
export const messagesQuery = (runId: string) =>
  queryOptions({
    queryKey: ['run-messages', runId],
    queryFn: ({ signal }) => get<RunMessages>(`/runs/${runId}/messages`, { signal }),
  });
