import { randomUUID } from 'node:crypto';

const HOUR = 3_600_000;
export const stamp = (ms: number) => `${new Date(ms).toISOString().replaceAll(/[-:.Z]/g, '')}000Z`;

interface Trace {
  root: string;
  model: string;
  start: number;
  order: string;
  posts: object[];
}

/** A root and a nested model call that started the given hours ago. */
export function traceOf(session_name: string, hours = 50, more: object = {}): Trace {
  const [root, model] = [randomUUID(), randomUUID()];
  const start = Date.now() - hours * HOUR;
  const order = `${stamp(start)}${root}`;
  const shared = { trace_id: root, session_name };
  const posted = {
    ...shared,
    id: root,
    name: 'root',
    run_type: 'chain',
    dotted_order: order,
    start_time: start,
    end_time: start + 1_000,
    inputs: { question: `asked of ${root}` },
    outputs: { answer: `said by ${root}` },
    tags: ['all'],
    extra: { metadata: { kind: 'root' } },
    ...more,
  };
  const called = {
    ...shared,
    id: model,
    name: 'model',
    run_type: 'llm',
    parent_run_id: root,
    dotted_order: `${order}.${stamp(start + 1)}${model}`,
    start_time: start + 1,
    end_time: start + 500,
    inputs: { model: 'own-1', messages: [{ role: 'user', content: `asked of ${model}` }] },
    outputs: { usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 } },
  };
  return { root, model, start, order, posts: [posted, called] };
}
