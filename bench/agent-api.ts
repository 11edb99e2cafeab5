import { randomUUID } from 'node:crypto';
import { HttpClient, type Reply, type StreamedReply } from './http-client.ts';

export type Json = Record<string, unknown>;

export interface ThreadRecord {
  thread_id: string;
  status: string;
  metadata: Json;
  values: Json | null;
}

export interface RunRecord {
  run_id: string;
  status: string;
  created_at: string;
  updated_at: string;
}

/** Returns the parsed body; throws an error with the response unless the status is 200. */
export function bodyOf<Body>({ status, text }: Reply): Body {
  if (status !== 200) throw new Error(`Status ${status}: ${text.slice(0, 300)}`);
  return JSON.parse(text) as Body;
}

/** The agent server's API, as far as the scenarios need it. */
export class AgentApi {
  readonly client: HttpClient;

  constructor(url: string) {
    this.client = new HttpClient(url);
  }

  /** Runs the graph on the thread, creating it if needed, and waits for the result. */
  async wait(graph: string, input: Json, threadId = randomUUID() as string): Promise<Json> {
    return bodyOf(await this.client.send('POST', `/threads/${threadId}/runs/wait`, create(graph, input)));
  }

  /** Starts a run and does not wait for it. */
  async start(graph: string, input: Json, threadId: string): Promise<RunRecord> {
    return bodyOf(await this.client.send('POST', `/threads/${threadId}/runs`, create(graph, input)));
  }

  async stream(
    graph: string,
    input: Json,
    mode: string,
    threadId = randomUUID() as string,
  ): Promise<StreamedReply> {
    const body = { ...create(graph, input), stream_mode: [mode] };
    const reply = await this.client.stream(`/threads/${threadId}/runs/stream`, body);
    if (reply.status !== 200) throw new Error(`Status ${reply.status}: ${reply.text.slice(0, 300)}`);
    return reply;
  }

  async createThread(metadata: Json = {}): Promise<string> {
    return bodyOf<ThreadRecord>(await this.client.send('POST', '/threads', { metadata })).thread_id;
  }

  async searchThreads(metadata: Json, limit: number): Promise<ThreadRecord[]> {
    return bodyOf(await this.client.send('POST', '/threads/search', { metadata, limit }));
  }

  async countThreads(metadata: Json, status: string): Promise<number> {
    return bodyOf(await this.client.send('POST', '/threads/count', { metadata, status }));
  }

  async listRuns(threadId: string, limit: number): Promise<RunRecord[]> {
    return bodyOf(await this.client.send('GET', `/threads/${threadId}/runs?limit=${limit}`));
  }

  async getRun(threadId: string, runId: string): Promise<RunRecord> {
    return bodyOf(await this.client.send('GET', `/threads/${threadId}/runs/${runId}`));
  }

  /** Cancels a run and waits until its graph has stopped. */
  async cancel(threadId: string, runId: string): Promise<void> {
    bodyOf(await this.client.send('POST', `/threads/${threadId}/runs/${runId}/cancel?wait=1`));
  }

  close(): void {
    this.client.close();
  }
}

const create = (graph: string, input: Json): Json => ({
  assistant_id: graph,
  input,
  if_not_exists: 'create',
  multitask_strategy: 'enqueue',
});
