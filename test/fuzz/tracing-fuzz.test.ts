import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { API_KEY, ask, type PlatformProcess, usePlatform } from '../support/platform.ts';
import type { Guard, Records } from './database-guard.ts';
import { fuzz } from './openapi-fuzz.ts';
import { closeConnections } from './send-request.ts';
import { TracingWorld } from './tracing-world.ts';
import { isWhole } from '../support/whole.ts';

const seconds = Number(process.env['FUZZ_SECONDS'] ?? (isWhole ? 15 : 8));
const seed = Number(process.env['FUZZ_SEED'] ?? (seconds > 60 ? Date.now() % 2 ** 31 : 1));

const platform = usePlatform();
let api: PlatformProcess;
beforeAll(async () => {
  // Nothing is written in the background.
  api = await platform.start('api', { SLIPWAY_RATE_LIMITS: 'off' });
});
afterAll(() => closeConnections());

// Tables that refused and read-only requests must not change.
const TABLES = {
  project: 'id::text || name || extra::text',
  run: 'id::text || coalesce(outputs::text, status)',
  feedback: 'id::text || key || coalesce(score::text, comment)',
  dataset: 'id::text || name || version_at::text',
  example: 'id::text || valid_from::text || coalesce(valid_to::text, md5(metadata::text))',
  annotation_queue: 'id::text || name',
  annotation_queue_run: 'id::text || added_at::text || completed_by::text',
  share: 'token::text',
  dataset_share: 'token::text',
  chart: 'id::text || title',
  chart_section: 'id::text || title',
  repo: 'id::text || coalesce(description, tags::text)',
  repo_commit: 'id::text',
  model_price: 'id::text',
  bulk_export: 'id::text',
};

const guard: Guard = {
  async records(): Promise<Records> {
    const columns = Object.entries(TABLES).map(
      ([table, columns]) =>
        `(select md5(coalesce(string_agg(${columns}, '' order by ${columns}), '')) from tracing.${table}) as ${table}`,
    );
    const { rows } = await platform.db.query<Records>(`select ${columns.join(', ')}`);
    return rows[0]!;
  },
  changes: (before, after) => Object.keys(before).filter((name) => after[name] !== before[name]),
};

const id = '@@run:0@@';
const run = `{"id":"${id}","name":"x","run_type":"llm","start_time":"2026-01-02T03:04:05Z"}`;
const part = (name: string, body: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\nContent-Type: application/json\r\n\r\n${body}\r\n`;

/** Bodies of operations with their own parsers: batches, parts, spans, feedback. */
const rawBodies = fc.constantFrom(
  undefined,
  '',
  '{}',
  '[]',
  'null',
  '{"post":[],"patch":[]}',
  `{"post":[${run}]}`,
  `{"patch":[{"id":"${id}","outputs":null,"end_time":1e999}]}`,
  '{"post":[{"id":"x"},1,null]}',
  run,
  '{"outputs":{"a":NaN},"tags":[1],"events":{}}',
  `{"run_id":"${id}","key":"k1","score":true}`,
  '{"key":""}',
  '{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"00","spanId":1}]}]}]}',
  '{"resourceSpans":[{"scopeSpans":7}]}',
  `${part(`post.${id}`, run)}--b--`,
  `${part('post.x', '{')}${part(`attachment.${id}.a`, 'x')}--b--`,
  `${part('@@example:0@@', '{"dataset_id":"@@dataset:0@@"}')}${part('@@example:0@@.inputs', '{"q":1}')}--b--`,
  '--b\r\n\r\n--b',
);

test(
  'no request breaks tracing, and refused ones change nothing',
  async () => {
    const { requests, statuses, problems } = await fuzz({
      url: api.url,
      document: '/api/openapi.json',
      world: new TracingWorld(api.url, API_KEY),
      guard,
      rawBodies,
      seed,
      seconds,
      least: seconds / 2,
    });
    if (process.env['FUZZ_SECONDS']) console.info({ seed, requests, statuses });
    const errors = api
      .logs()
      .split('\n')
      .filter((line) => /"level":[56]0|[Uu]nhandled/.test(line));
    const found = [...problems, ...errors.slice(0, 5).map((line) => `logged: ${line.slice(0, 1_000)}`)];
    if (found.length > 0)
      throw new Error(`FUZZ_SEED=${seed} FUZZ_SECONDS=${seconds}\n\n${found.join('\n\n')}`);
    // Few on a busy machine; one pass over all operations takes several hundred.
    expect(requests).toBeGreaterThan(seconds / 2);
    expect((await ask(api.url, 'GET', '/info')).status).toBe(200);
  },
  (seconds + 300) * 1_000,
);
