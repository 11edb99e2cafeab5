import { gunzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { Client } from 'langsmith';
import { uuid7 } from '../../src/platform/ids.ts';
import { foldMinutes } from '../../src/tracing/query/fold-minutes.ts';
import { API_KEY, ask, type PlatformProcess, usePlatform } from '../support/platform.ts';
import { type Services, startServices } from '../support/services.ts';
import { until } from '../support/until.ts';

const CLIENTS = 8;
// 100,000 take some minutes.
const RUNS = Number(process.env['INGEST_RUNS'] ?? 1_200);
const RUNS_OF_A_TRACE = 5;
const SENT_TOGETHER = 50;
const DEADLINE_MS = Math.max(120_000, RUNS * 10);

let services: Services;
const platform = usePlatform({ services: async () => (services = await startServices()) });

const acknowledged = new Set<string>();
const answers = new Map<string, number>();

/** The clients' network: records which runs were accepted, and counts the responses by status. */
async function noting(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  const request = new Request(input, init);
  const body = Buffer.from(await request.arrayBuffer());
  const note = (what: string) => answers.set(what, (answers.get(what) ?? 0) + 1);
  try {
    const { url, method, headers } = request;
    const response = await fetch(url, { method, headers, ...(method !== 'GET' && { body }) });
    note(String(response.status));
    if (response.ok && url.endsWith('/runs/multipart')) {
      const text = (headers.get('content-encoding') === 'gzip' ? gunzipSync(body) : body).toString('latin1');
      for (const [, id] of text.matchAll(/ name="post\.([0-9a-f-]{36})"/g)) acknowledged.add(id!);
    }
    return response;
  } catch (error) {
    note('no answer');
    throw error;
  }
}

const stamp = (ms: number) => `${new Date(ms).toISOString().replaceAll(/[-:.Z]/g, '')}000Z`;
const inputsOf = (id: string) => ({ question: `What of ${id}?`, padding: 'x'.repeat(400) });
const outputsOf = (id: string) => ({ answer: `This of ${id}.` });

/** Logs traces whose runs begin first and end later, as an agent does. Returns the ids of the runs. */
async function logRuns(client: Client, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const root = uuid7();
    const at = Date.now();
    const top = `${stamp(at)}${root}`;
    const runs = Array.from({ length: RUNS_OF_A_TRACE }, (_, index) => {
      const id = index === 0 ? root : uuid7();
      const dotted_order = index === 0 ? top : `${top}.${stamp(at + index)}${id}`;
      return { id, dotted_order, trace_id: root, ...(index > 0 && { parent_run_id: root }) };
    });
    for (const run of runs)
      await client.createRun({
        ...run,
        name: 'step',
        run_type: 'chain',
        project_name: 'killed',
        start_time: at,
        inputs: inputsOf(run.id),
      });
    for (const run of runs.toReversed())
      await client.updateRun(run.id, { ...run, end_time: at + 1000, outputs: outputsOf(run.id) });
    ids.push(...runs.map(({ id }) => id));
    if (ids.length % SENT_TOGETHER === 0) await client.awaitPendingTraceBatches();
  }
  await client.awaitPendingTraceBatches();
  return ids;
}

test(
  'kill -9 of the API and of Postgres during ingestion: every accepted run is stored once and complete',
  async () => {
    let api: PlatformProcess = await platform.start('api');
    const { port } = new URL(api.url);
    const clients = Array.from(
      { length: CLIENTS },
      () => new Client({ apiUrl: api.url, apiKey: API_KEY, fetchImplementation: noting }),
    );
    const logging = Promise.all(clients.map((client) => logRuns(client, RUNS / CLIENTS)));

    await until('runs are accepted', () => acknowledged.size > RUNS / 8, DEADLINE_MS);
    await api.end('SIGKILL');
    api = await platform.start('api', { PORT: port });
    const accepted = acknowledged.size;
    await until('more are accepted', () => acknowledged.size > accepted + RUNS / 8, DEADLINE_MS);
    await services.signal('postgres', 'SIGKILL');

    const ids = (await logging).flat();
    const isBack = () =>
      platform.db.query('select').then(
        () => true,
        () => false,
      );
    await until('Postgres is back', isBack);
    expect(new Set(ids).size).toBe(RUNS);
    // Clients resend rejected runs until they are accepted.
    expect(acknowledged.size).toBe(RUNS);
    expect([...answers.keys()].some((answer) => answer !== '202' && answer !== '200')).toBe(true);

    const { rows } = await platform.db.query<{ id: string; status: string; count: number }>(
      'select id, min(status) as status, count(*) from tracing.run group by id',
    );
    expect(rows.length).toBe(RUNS);
    expect(rows.filter(({ status, count }) => status !== 'success' || count !== 1)).toEqual([]);
    let seen = 0;
    for await (const run of clients[0]!.listRuns({ projectName: 'killed' })) {
      expect([run.inputs, run.outputs]).toEqual([inputsOf(run.id), outputsOf(run.id)]);
      seen++;
    }
    expect(seen).toBe(RUNS);
    await foldMinutes(platform.db);
    const { json } = await ask(api.url, 'GET', '/sessions?name=killed');
    const stats = await ask(api.url, 'POST', '/runs/stats', { session: [json[0].id] });
    expect(stats.json).toMatchObject({ run_count: RUNS, error_rate: 0 });
    if (process.env['INGEST_RUNS']) console.log(Object.fromEntries(answers));
  },
  2 * DEADLINE_MS,
);
