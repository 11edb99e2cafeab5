import { randomUUID } from 'node:crypto';
import type { World } from './openapi-fuzz.ts';
import type { FuzzRequest } from './request-arbitrary.ts';
import { send } from './send-request.ts';

const NONE = '00000000-0000-7000-8000-000000000000';
const MOST = 12;
const KINDS = [
  'run',
  'project',
  'dataset',
  'example',
  'queue',
  'item',
  'feedback',
  'share',
  'id',
  'thread',
] as const;
type Kind = (typeof KINDS)[number];
type Json = Record<string, unknown>;

/** Existing tracing objects of a platform: one of every kind that requests name. */
export class TracingWorld implements World {
  readonly #url: string;
  readonly #key: string;
  readonly #ids = Object.fromEntries(KINDS.map((kind) => [kind, []])) as unknown as Record<Kind, string[]>;

  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
  }

  async refill(): Promise<void> {
    const [root, child] = [randomUUID(), randomUUID()];
    const dotted_order = `20260102T030405000000Z${root}`;
    const run = {
      name: 'run',
      trace_id: root,
      session_name: 'fuzzed',
      start_time: '2026-01-02T03:04:05Z',
      tags: ['a'],
    };
    const inputs = { messages: [{ role: 'user', content: 'tea' }] };
    const extra = { metadata: { owner: 'ada', thread_id: 'talk' } };
    await this.#send('POST', '/runs/batch', {
      post: [
        { ...run, id: root, dotted_order, run_type: 'chain', inputs, extra },
        {
          ...run,
          id: child,
          parent_run_id: root,
          dotted_order: `${dotted_order}.20260102T030405500000Z${child}`,
          run_type: 'llm',
          inputs,
          outputs: {
            choices: [{ message: { role: 'assistant', content: 'hot' } }],
            usage: { prompt_tokens: 3 },
          },
        },
      ],
    });
    this.#keep('run', root);
    this.#keep('run', child);
    this.#keep('thread', 'talk');
    const [project] = (await this.#send('GET', '/sessions?limit=3')) as Json[];
    if (project) this.#keep('project', String(project['id']));
    const dataset = (await this.#send('POST', '/datasets', { name: `set ${root}` })) as Json;
    this.#keep('dataset', String(dataset['id']));
    const example = (await this.#send('POST', '/examples', {
      dataset_id: dataset['id'],
      inputs,
      source_run_id: root,
    })) as Json;
    this.#keep('example', String(example['id']));
    const queue = (await this.#send('POST', '/annotation-queues', { name: 'queue' })) as Json;
    this.#keep('queue', String(queue['id']));
    const [item] = (await this.#send('POST', `/annotation-queues/${String(queue['id'])}/runs`, [
      root,
    ])) as Json[];
    if (item) this.#keep('item', String(item['id']));
    const feedback = (await this.#send('POST', '/feedback', { run_id: root, key: 'k1', score: 1 })) as Json;
    this.#keep('feedback', String(feedback['id']));
    for (const path of [`/runs/${root}/share`, `/datasets/${String(dataset['id'])}/share`])
      this.#keep('share', String(((await this.#send('PUT', path, {})) as Json)['share_token']));
    const series = [{ metric: 'run_count' }];
    for (const [path, body] of [
      ['/charts/create', { title: 'chart', series }],
      ['/charts/section', { title: 'section' }],
    ] as const)
      this.#keep('id', String(((await this.#send('POST', path, body)) as Json)['id']));
    await this.#send('POST', '/repos', { repo_handle: 'fuzzed', is_public: false });
    await this.#send('POST', '/commits/-/fuzzed', { manifest: { n: root } });
  }

  resolve(request: FuzzRequest): FuzzRequest {
    const fill = (text: string): string =>
      text.replaceAll(/@@(\w+):(\d+)@@/g, (_, kind: string, index: string) => {
        const ids = this.#ids[kind as Kind] ?? [];
        return ids[(request.focus + Number(index)) % Math.max(1, ids.length)] ?? NONE;
      });
    const { path, body, headers } = request;
    return {
      ...request,
      headers: { ...headers, 'x-api-key': this.#key },
      path: fill(path),
      body: body === undefined ? undefined : fill(body),
    };
  }

  // It contains more than requests can delete.
  learn(): void {}

  #keep(kind: Kind, id: string): void {
    const ids = this.#ids[kind];
    if (id !== 'undefined' && !ids.includes(id)) ids.push(id);
    if (ids.length > MOST) ids.shift();
  }

  async #send(method: string, path: string, json?: object): Promise<unknown> {
    const headers = { 'content-type': 'application/json', 'x-api-key': this.#key };
    const { text, status } = await send(this.#url, {
      method,
      path,
      headers,
      body: json && JSON.stringify(json),
      focus: 0,
    });
    if (status >= 500) throw new Error(`${method} ${path}: ${status} ${text.slice(0, 500)}`);
    try {
      return JSON.parse(text);
    } catch {
      return {};
    }
  }
}
