import type { FuzzRequest } from './request-arbitrary.ts';
import { send } from './send-request.ts';

// Only the latest of each kind are spoken of.
const MOST = 20;
const NONE = '00000000-0000-7000-8000-000000000000';

interface RunRef {
  run_id: string;
  thread_id: string;
}

/** What is known to exist in the server under test, for requests to speak of. */
export class FuzzWorld {
  readonly #url: string;
  readonly #threads: string[] = [];
  readonly #runs: RunRef[] = [];
  readonly #assistants: string[] = [];
  readonly #checkpoints: string[] = [];

  constructor(url: string) {
    this.#url = url;
  }

  /** Threads in every state, with runs, assistants and items. */
  async settle(): Promise<void> {
    await this.#post('/threads', {});
    for (const [graph, input] of [
      ['echo', { text: 'hi', messages: [{ role: 'user', content: 'hi' }] }],
      ['approval', { topic: 'tea' }],
      ['parent', { topic: 'tea', ask: true }],
      ['boom', {}],
      ['functional', { value: 2 }],
    ] as const) {
      const { thread_id } = (await this.#post('/threads', { metadata: { owner: 'ada' } })) as {
        thread_id: string;
      };
      await this.#post(`/threads/${thread_id}/runs/wait`, { assistant_id: graph, input });
      await this.#note('GET', `/threads/${thread_id}/runs`);
      await this.#note('GET', `/threads/${thread_id}/history?limit=5`);
    }
    for (let index = 0; index < 3; index++)
      await this.#post('/assistants', { graph_id: 'echo', name: `a${index}` });
    for (const key of ['k1', 'k2'])
      await this.#note('PUT', '/store/items', { namespace: ['a', 'b'], key, value: { n: 1 } });
  }

  /** Puts ids in the place of what stands for them. */
  resolve(request: FuzzRequest): FuzzRequest {
    const fill = (text: string) =>
      text.replaceAll(/@@([\w-]+):(\d+)@@/g, (_, kind: string, index: string) =>
        this.#pick(kind, Number(index)),
      );
    return {
      ...request,
      path: fill(request.path),
      body: request.body === undefined ? undefined : fill(request.body),
    };
  }

  /** Learns from an answer what there is now. */
  learn(text: string): void {
    const known = parse(text);
    for (const record of [known].flat() as Record<string, unknown>[]) {
      if (typeof record !== 'object' || record === null) continue;
      const { thread_id, run_id, assistant_id, checkpoint_id, version } = record;
      if (typeof run_id === 'string' && typeof thread_id === 'string')
        keep(this.#runs, { run_id, thread_id });
      else if (typeof thread_id === 'string') keep(this.#threads, thread_id);
      else if (typeof assistant_id === 'string' && version !== undefined && !isOfSystem(record))
        keep(this.#assistants, assistant_id);
      if (typeof checkpoint_id === 'string') keep(this.#checkpoints, checkpoint_id);
    }
  }

  #pick(kind: string, index: number): string {
    if (kind === 'run') return at(this.#runs, index)?.run_id ?? NONE;
    if (kind === 'run-thread') return at(this.#runs, index)?.thread_id ?? NONE;
    const known: Record<string, string[]> = {
      thread: this.#threads,
      assistant: this.#assistants,
      checkpoint: this.#checkpoints,
    };
    return at(known[kind] ?? [], index) ?? NONE;
  }

  async #post(path: string, body: object): Promise<unknown> {
    return parse(await this.#note('POST', path, body));
  }

  async #note(method: string, path: string, body?: object): Promise<string> {
    const headers = { 'content-type': 'application/json' };
    const { text } = await send(this.#url, { method, path, headers, body: body && JSON.stringify(body) });
    this.learn(text);
    return text;
  }
}

const at = <Item>(items: Item[], index: number): Item | undefined => items[index % Math.max(1, items.length)];

// Requests about those of the graphs themselves would take the ground from under all others.
const isOfSystem = ({ metadata }: Record<string, unknown>): boolean =>
  (metadata as { created_by?: string } | undefined)?.created_by === 'system';

function keep<Item>(items: Item[], item: Item): void {
  if (items.some((known) => JSON.stringify(known) === JSON.stringify(item))) return;
  items.push(item);
  if (items.length > MOST) items.splice(1, 1);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
