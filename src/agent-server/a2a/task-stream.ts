import type { Context } from 'koa';
import { type JsonRpcId, rpcError, rpcResult } from '../../platform/http/json-rpc.ts';
import { rpcFailureInBody } from '../../platform/http/json-rpc-failure.ts';
import { SseStream } from '../../platform/http/sse.ts';
import type { AgentDeps } from '../agent-deps.ts';
import type { RunEvent } from '../events/event-frame.ts';
import type { TaskRow } from '../runs/task-repository.ts';
import type { Spelling } from './spelling.ts';
import { textParts } from './task-history.ts';
import { agentMessage } from './task-view.ts';
import { type Task, taskId, type TaskState } from './task.ts';

/** Streams a task to its reader, from its first state to its last (contract §11.3). */
export class TaskStream {
  readonly #deps: AgentDeps;
  readonly #id: JsonRpcId;
  readonly #spelling: Spelling;
  #task: Pick<TaskRow, 'task_id' | 'thread_id' | 'run_id'> | undefined;
  #stream: SseStream | undefined;
  /** Events received before the stream opened. */
  #held: RunEvent[] = [];
  #speaking: string | undefined;
  #text = '';

  constructor(deps: AgentDeps, id: JsonRpcId, spelling: Spelling) {
    this.#deps = deps;
    this.#id = id;
    this.#spelling = spelling;
  }

  /** Sends the models' tokens as they arrive: the message so far, once per batch. */
  readonly onEvents = (events: RunEvent[]): void => {
    if (!this.#stream) return void this.#held.push(...events);
    if (events.some(({ event }) => event === 'metadata')) this.#update('working', []);
    const before = this.#text;
    for (const { event, data } of events) if (event === 'messages') this.#hear(data);
    if (this.#text !== before && this.#text !== '')
      this.#update('working', [{ kind: 'text', text: this.#text }]);
  };

  /**
   * Sends the task's current state; `finished` resolves to its last one. The run continues if the reader disconnects.
   */
  open(
    ctx: Context,
    row: Pick<TaskRow, 'task_id' | 'thread_id' | 'run_id'>,
    now: Task,
    finished: Promise<Task>,
    onClose: () => void,
  ): void {
    const { config } = this.#deps;
    this.#task = row;
    this.#stream = new SseStream(ctx, {
      heartbeatMs: config.SLIPWAY_KEEP_ALIVE_SECONDS * 1000,
      limitBytes: config.SLIPWAY_READER_LIMIT_BYTES,
      onClose,
    });
    this.#send(this.#spelling.sentTask(now));
    this.onEvents(this.#held.splice(0));
    finished
      .then((task) => this.#tell(task, true))
      .catch((error: unknown) => {
        const failure = rpcFailureInBody(error, (err) => this.#deps.log.error({ err }, 'A2A stream failed'));
        this.#write(rpcError(this.#id, failure));
      })
      .finally(() => this.#stream?.end());
  }

  /** Marks the task as waiting for an answer and keeps the stream open. */
  pause(task: Task): void {
    this.#tell(task, false);
  }

  /** Continues with the task's next run. */
  resume(row: TaskRow): void {
    this.#task = row;
    [this.#text, this.#speaking] = ['', undefined];
    this.#update(row.state, []);
  }

  #hear(data: string): void {
    const [{ type, id, content }] = JSON.parse(data) as [{ type?: string; id?: string; content?: unknown }];
    if (type !== 'ai' && type !== 'AIMessageChunk') return;
    const text = textParts(content)
      .map((part) => (part.kind === 'text' ? part.text : ''))
      .join('');
    this.#text = id === this.#speaking && type === 'AIMessageChunk' ? this.#text + text : text;
    this.#speaking = id;
  }

  #tell({ id, contextId, status, artifacts = [] }: Task, final: boolean): void {
    for (const artifact of artifacts) {
      const update = { kind: 'artifact-update', taskId: id, contextId, artifact } as const;
      this.#send(this.#spelling.artifactUpdate({ ...update, append: false, lastChunk: true }));
    }
    this.#send(this.#spelling.statusUpdate({ kind: 'status-update', taskId: id, contextId, status, final }));
  }

  #update(state: TaskState, parts: Parameters<typeof agentMessage>[1]): void {
    const row = this.#task!;
    this.#send(
      this.#spelling.statusUpdate({
        kind: 'status-update',
        taskId: taskId(row.thread_id, row.task_id),
        contextId: row.thread_id,
        status: {
          state,
          timestamp: new Date().toISOString(),
          ...(parts.length > 0 && { message: agentMessage(row, parts) }),
        },
        final: false,
      }),
    );
  }

  #send(result: object): void {
    this.#write(rpcResult(this.#id, result));
  }

  #write(envelope: object): void {
    this.#stream?.send([{ event: 'message', data: JSON.stringify(envelope) }]);
  }
}
