import { uuid7 } from '../../src/platform/ids.ts';

/** A run as a client logs it, before serialisation. */
export interface LoggedRun {
  id: string;
  name: string;
  run_type: string;
  session_name: string;
  trace_id: string;
  parent_run_id?: string;
  dotted_order: string;
  start_time: string;
  end_time: number;
  tags: string[];
  error?: string;
  inputs: object;
  outputs: object;
  extra: object;
}

export const RUNS_OF_A_TRACE = 10;
const KINDS = 'chain llm tool llm tool chain llm retriever tool chain'.split(' ');
// Share of a run's text that is input; the rest is output.
const ASKED = 0.6;
/** Bytes of text in a run's inputs and outputs; 2 KB with the surrounding JSON. */
export const TEXT = 1_850;
const WORDS = 4_000;

/** A seeded random generator (mulberry32), so that every benchmark uses the same numbers. */
export function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const next = numbers(7);
const word = (): string =>
  Array.from({ length: 2 + Math.floor(next() * 8) }, () =>
    String.fromCharCode(97 + Math.floor(next() ** 1.5 * 26)),
  ).join('');
const words = Array.from({ length: WORDS }, word);
/** A word that occurs in about every third run. */
export const COMMON_WORD = words[20]!;

/** Text with the word frequencies of a language, so that it compresses like real text. */
export function textOf(length: number): string {
  let text = '';
  while (text.length < length) text += `${words[Math.floor(WORDS ** next()) - 1]} `;
  return text.slice(0, length);
}

const stamp = (ms: number, micros: number): string =>
  `${new Date(ms).toISOString().replaceAll(/[-:.Z]/g, '')}${String(micros).padStart(3, '0')}Z`;

/** A finished trace of `count` runs, in start order, root first. */
export function traceOf(session_name: string, count = RUNS_OF_A_TRACE, text = TEXT): LoggedRun[] {
  const start = Date.now();
  const root = uuid7();
  const top = `${stamp(start, 0)}${root}`;
  return Array.from({ length: count }, (_, index) => {
    const id = index === 0 ? root : uuid7();
    const run_type = KINDS[index % KINDS.length]!;
    return {
      id,
      name: `${run_type} ${index % 7}`,
      run_type,
      session_name,
      trace_id: root,
      ...(index > 0 && { parent_run_id: root }),
      dotted_order: index === 0 ? top : `${top}.${stamp(start + index, index % 1000)}${id}`,
      start_time: `${new Date(start + index).toISOString().slice(0, -1)}${String(index % 1000).padStart(3, '0')}Z`,
      end_time: start + index + Math.ceil(next() * 3_000),
      tags: ['bench', `tag-${Math.floor(next() * 1000)}`],
      ...(next() < 0.01 && { error: 'Error: it broke' }),
      ...bodiesOf(run_type, text),
      extra: {
        metadata: { user: `u${Math.floor(next() * 5_000)}`, env: 'prod', thread_id: `thread-${root}` },
        runtime: { sdk: 'langsmith-js', sdk_version: '0.10.5', library: 'langsmith', platform: 'linux' },
      },
    };
  });
}

function bodiesOf(run_type: string, text: number): Pick<LoggedRun, 'inputs' | 'outputs'> {
  const [input, output] = [text * ASKED, text * (1 - ASKED)];
  if (run_type !== 'llm') return { inputs: { query: textOf(input) }, outputs: { answer: textOf(output) } };
  const tokens = 200 + Math.floor(next() * 800);
  return {
    inputs: {
      messages: [
        { role: 'system', content: textOf(input / 4) },
        { role: 'user', content: textOf((input / 4) * 3) },
      ],
    },
    outputs: {
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: textOf(output) } }],
      model: 'gpt-4o-mini',
      usage_metadata: { input_tokens: tokens, output_tokens: 170, total_tokens: tokens + 170 },
    },
  };
}
