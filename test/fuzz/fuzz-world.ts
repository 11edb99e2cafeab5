import type { World } from './openapi-fuzz.ts';
import type { FuzzRequest } from './request-arbitrary.ts';
import { send } from './send-request.ts';

const NONE = '00000000-0000-7000-8000-000000000000';
const MOST = 12;

interface ThreadRef {
  thread_id: string;
  runs: string[];
  checkpoints: string[];
}

type Json = Record<string, unknown>;

// Threads in every state, and objects for each graph.
const BEGINNINGS = [
  ['echo', { text: 'hi', messages: [{ role: 'user', content: 'hi' }] }],
  ['approval', { topic: 'tea' }],
  ['parent', { topic: 'tea', ask: true }],
  ['boom', {}],
  ['functional', { value: 2 }],
  ['echo', { text: 'again' }],
] as const;

/** Existing objects of an agent server. */
export class FuzzWorld implements World {
  readonly #url: string;
  readonly #threads: ThreadRef[] = [];
  readonly #assistants: string[] = [];
  readonly #crons: string[] = [];

  constructor(url: string) {
    this.#url = url;
  }

  /** Replaces objects that requests deleted. */
  async refill(): Promise<void> {
    if (this.#threads.length === 0) await this.#send('POST', '/threads', {});
    const used = this.#threads.filter(({ runs }) => runs.length > 0).length;
    for (const [assistant_id, input] of BEGINNINGS.slice(used)) {
      const { thread_id } = (await this.#send('POST', '/threads', { metadata: { owner: 'ada' } })) as Json;
      await this.#send('POST', `/threads/${String(thread_id)}/runs/wait`, { assistant_id, input });
      await this.#send('GET', `/threads/${String(thread_id)}/runs`);
      await this.#send('GET', `/threads/${String(thread_id)}/history?limit=5`);
    }
    while (this.#assistants.length < 3)
      await this.#send('POST', '/assistants', { graph_id: 'echo', name: 'own' });
    while (this.#crons.length < 3)
      await this.#send('POST', '/runs/crons', { assistant_id: 'echo', schedule: '0 9 1 1 *' });
    await this.#send('PUT', '/store/items', {
      namespace: ['a', 'b'],
      key: 'k1',
      value: { n: 1, text: 'tea' },
    });
  }

  /**
   * Replaces placeholders with ids. All runs and checkpoints in one request belong to the thread in its focus;
   * `thread:0` is that thread.
   */
  resolve({ focus, ...request }: FuzzRequest): FuzzRequest {
    const thread = at(this.#threads, focus);
    const pick = (kind: string, index: number): string | undefined => {
      if (kind === 'thread') return at(this.#threads, index < 9 ? focus : focus + index)?.thread_id;
      if (kind === 'cron') return at(this.#crons, index);
      if (kind === 'run') return at(thread?.runs ?? [], index);
      return at(kind === 'checkpoint' ? (thread?.checkpoints ?? []) : this.#assistants, index);
    };
    const fill = (text: string) =>
      text.replaceAll(
        /@@(\w+):(\d+)@@/g,
        (_, kind: string, index: string) => pick(kind, Number(index)) ?? NONE,
      );
    const { path, body } = request;
    return { ...request, focus, path: fill(path), body: body === undefined ? undefined : fill(body) };
  }

  /** Records objects that a response shows as created or deleted. */
  learn(text: string): void {
    const [, gone] = /"(?:Thread|Assistant|Cron) ([0-9a-f-]{36}) not found"/.exec(text) ?? [];
    if (gone) this.#forget(gone);
    for (const record of [parse(text)].flat()) {
      if (typeof record === 'object' && record !== null) this.#note(record as Json);
    }
  }

  #note({ thread_id, run_id, assistant_id, cron_id, checkpoint, version, metadata }: Json): void {
    if (typeof cron_id === 'string') keep(this.#crons, cron_id);
    const point = checkpoint as { thread_id?: string; checkpoint_id?: string } | null | undefined;
    const id = thread_id ?? point?.thread_id;
    if (typeof id === 'string') {
      const known = this.#threads.find((thread) => thread.thread_id === id);
      const thread = known ?? { thread_id: id, runs: [], checkpoints: [] };
      if (!known) this.#keepThread(thread);
      if (typeof run_id === 'string') keep(thread.runs, run_id);
      if (point?.checkpoint_id) keep(thread.checkpoints, point.checkpoint_id);
    } else if (typeof assistant_id === 'string' && version !== undefined) {
      // Requests to the graphs' default assistants would break all other requests.
      const isOfSystem = (metadata as Json | undefined)?.['created_by'] === 'system';
      if (!isOfSystem) keep(this.#assistants, assistant_id);
    }
  }

  /** Threads with runs are more useful than the many that were only created. */
  #keepThread(thread: ThreadRef): void {
    this.#threads.push(thread);
    if (this.#threads.length <= MOST) return;
    const unused = this.#threads.findIndex(({ runs }) => runs.length === 0);
    this.#threads.splice(Math.max(unused, 0), 1);
  }

  #forget(id: string): void {
    const thread = this.#threads.findIndex(({ thread_id }) => thread_id === id);
    if (thread >= 0) this.#threads.splice(thread, 1);
    const cron = this.#crons.indexOf(id);
    if (cron >= 0) this.#crons.splice(cron, 1);
    const assistant = this.#assistants.indexOf(id);
    if (assistant >= 0) this.#assistants.splice(assistant, 1);
  }

  async #send(method: string, path: string, json?: object): Promise<unknown> {
    const headers = { 'content-type': 'application/json' };
    const { text } = await send(this.#url, {
      method,
      path,
      headers,
      body: json && JSON.stringify(json),
      focus: 0,
    });
    this.learn(text);
    return parse(text);
  }
}

const at = <Item>(items: Item[], index: number): Item | undefined => items[index % Math.max(1, items.length)];

function keep<Item>(items: Item[], item: Item): void {
  if (items.includes(item)) return;
  items.push(item);
  if (items.length > MOST) items.shift();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
