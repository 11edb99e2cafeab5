import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { FIRST_TENANT_ID } from '../../src/control-plane/access/first-api-key.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { packRuns } from '../../src/tracing/packs/pack-runs.ts';
import { removeTrace } from '../../src/tracing/traces/trace-removal.ts';
import { findRuns, writeUsage } from '../../src/tracing/usage/usage-repository.ts';
import { ask, type PlatformProcess, usePlatform } from '../support/platform.ts';
import { openPatiently } from '../support/use-database.ts';
import { stamp } from '../tracing/logged-trace.ts';

const TRACES = 60;
const DOOMED = 12;
const RUNS_OF_A_TRACE = 4;
const WRITERS = 4;
// A pack each, or more: what is written together is in some of them.
const PROJECTS = 6;
const TURNS = 5;
const FOR_MS = 4_000;
const START = Date.now() - 20 * 86_400_000;

const platform = usePlatform();
let api: PlatformProcess;
let db: Database;
beforeAll(async () => {
  api = await platform.start('api');
  db = openPatiently({ url: platform.env['DATABASE_URL']!, poolSize: 12, onError() {} });
});
afterAll(() => db.end());

/** What was acknowledged of a run. */
interface Known {
  id: string;
  trace_id: string;
  dotted_order: string;
  n: number;
  outputs?: object;
  tokens?: number;
  tags: Set<string>;
  metadata: Record<string, number>;
  feedback: Set<string>;
}
const model = new Map<string, Known>();
const pick = <T>(list: T[]): T => list[Math.floor(Math.random() * list.length)]!;
let projects: string[];
const isDoomed = (trace: number) => trace % Math.floor(TRACES / DOOMED) === 0;

function known(trace_id: string, above: string | undefined, start: number, id: string, n: number): Known {
  const segment = `${stamp(start)}${id}`;
  const dotted_order = above ? `${above}.${segment}` : segment;
  return { id, trace_id, dotted_order, n, tags: new Set(), metadata: {}, feedback: new Set() };
}

const answers = new Map<string, number>();
async function said(method: string, path: string, body: object) {
  const answer = await ask(api.url, method, path, body);
  const what = answer.status < 300 ? 'fine' : `${answer.status} ${JSON.stringify(answer.json)}`;
  answers.set(what, (answers.get(what) ?? 0) + 1);
  return answer;
}

const traces = Array.from({ length: TRACES }, (_, trace) => {
  const root = randomUUID();
  const start = START + trace * 600_000;
  const first = known(root, undefined, start, root, 0);
  const below = Array.from({ length: RUNS_OF_A_TRACE - 1 }, (_below, at) =>
    known(root, first.dotted_order, start + at + 1, randomUUID(), at + 1),
  );
  return { root, start, isDoomed: isDoomed(trace), runs: [first, ...below] };
});
const projectOf = new Map<string, number>(traces.map(({ root }, trace) => [root, trace % PROJECTS]));
const kept = traces.filter((trace) => !trace.isDoomed);
const keptRuns = kept.flatMap(({ runs }) => runs);

const posted = ({ id, trace_id, dotted_order, n }: Known, start: number) => ({
  id,
  trace_id,
  dotted_order,
  name: `run ${n}`,
  run_type: 'chain',
  session_name: `hammered-${projectOf.get(trace_id)}`,
  start_time: start,
  ...(id !== trace_id && { parent_run_id: trace_id }),
  inputs: { of: id },
});

/** Runs that already are: late values, of which those of one column are one writer's. */
async function patchSome(writer: number, turn: number): Promise<void> {
  const some = new Set(Array.from({ length: 5 }, () => pick(keptRuns)));
  const key = `w${writer}-${turn}`;
  const patches = [...some].map(({ id, trace_id, dotted_order }, index) => ({
    id,
    // As clients send it, or with the least.
    ...((turn + index) % 2 === 0 && { trace_id, dotted_order }),
    tags: [key],
    extra: { metadata: { [key]: turn } },
    ...(writer === 0 && { outputs: { turn }, end_time: START + turn * 1000 }),
  }));
  const { status } = await said('POST', '/runs/batch', { patch: patches });
  if (status >= 300) return;
  for (const run of some) {
    run.tags.add(key);
    run.metadata[key] = turn;
    if (writer === 0) run.outputs = { turn };
  }
}

async function addChild(turn: number): Promise<void> {
  const { root, start, runs } = pick(kept);
  const at = turn % 3 === 0 ? Date.now() : start + 1000 + turn;
  const child = known(root, runs[0]!.dotted_order, at, randomUUID(), turn);
  const { dotted_order: _order, ...least } = posted(child, at);
  const { status } = await said('POST', '/runs/batch', { post: [turn % 2 ? posted(child, at) : least] });
  if (status < 300) model.set(child.id, child);
}

async function sayFeedback(turn: number): Promise<void> {
  const run = pick(keptRuns);
  const id = randomUUID();
  const { status } = await said('POST', '/feedback', { id, run_id: run.id, key: 'turn', score: turn });
  if (status < 300) run.feedback.add(id);
}

async function countSome(turn: number): Promise<void> {
  const ids = Array.from({ length: 3 }, () => pick(keptRuns).id);
  const found = await findRuns(db, FIRST_TENANT_ID, [...new Set(ids)]);
  const columns = {
    prompt_tokens: turn,
    completion_tokens: 0,
    total_tokens: turn,
    prompt_cost: undefined,
    completion_cost: undefined,
    total_cost: undefined,
    usage: undefined,
  } as never;
  const written = await writeUsage(
    db,
    FIRST_TENANT_ID,
    found.map((run) => ({ run, columns })),
  );
  for (const id of written) model.get(id)!.tokens = turn;
}

/** All that was there at first is on the pages, once, whatever they are between two of them. */
async function readPages(order: 'asc' | 'desc'): Promise<void> {
  const seen: string[] = [];
  for (let cursor: string | undefined, first = true; first || cursor; first = false) {
    const { status, json } = await said('POST', '/runs/query', {
      session: projects,
      limit: 50,
      order,
      select: ['id', 'name'],
      ...(cursor && { cursor }),
    });
    if (status >= 300) return;
    seen.push(...json.runs.map(({ id }: { id: string }) => id));
    cursor = json.cursors.next;
  }
  const ids = new Set(seen);
  expect(seen.length).toBe(ids.size);
  expect(keptRuns.filter(({ id }) => !ids.has(id))).toEqual([]);
}

test('whatever is written while two pack is there at the end, once', async () => {
  for (const { runs, start } of traces) {
    for (const run of runs) model.set(run.id, run);
    await said('POST', '/runs/batch', { post: runs.map((run) => posted(run, start + run.n)) });
  }
  const { rows } = await db.query<{ id: string }>(
    "select id from tracing.project where name like 'hammered-%'",
  );
  projects = rows.map(({ id }) => id);
  expect(await packRuns(db, new Date(), 1)).toBe(TRACES * RUNS_OF_A_TRACE);

  const deadline = Date.now() + FOR_MS;
  const turns: Record<string, number> = {};
  // As long as it takes everybody to have had some turns.
  const isOver = () => Date.now() > deadline && Object.values(turns).every((turn) => turn >= TURNS);
  const again = async (what: string, work: (turn: number) => Promise<unknown>) => {
    turns[what] ??= 0;
    for (let turn = 1; !isOver(); turn++) {
      await work(turn);
      turns[what] = Math.max(turn, turns[what]);
    }
  };
  let packed = 0;
  const packing = async () => (packed += await packRuns(db, new Date(), 1));
  const doomed = traces.filter((trace) => trace.isDoomed);
  await Promise.all([
    ...Array.from({ length: WRITERS }, (_, writer) => again('patch', (turn) => patchSome(writer, turn))),
    again('child', addChild),
    again('feedback', sayFeedback),
    again('usage', countSome),
    again('pack', packing),
    again('pack', packing),
    again('asc', () => readPages('asc')),
    again('desc', () => readPages('desc')),
    // As retention does, which takes no part in who waits for whom.
    again('unpack', () =>
      db.query(
        'select tracing.unpack(array(select pack from tracing.run_pack order by random() limit 2)), pg_sleep(0.2)',
      ),
    ),
    (async () => {
      for (const { root, runs } of doomed) {
        expect(await removeTrace(db, { tenant_id: FIRST_TENANT_ID, trace_id: root })).toBe(runs.length);
        for (const { id } of runs) model.delete(id);
        await packing();
      }
    })(),
  ]);
  expect([...answers.keys()]).toEqual(['fine']);
  expect(packed).toBeGreaterThan(TRACES * RUNS_OF_A_TRACE);

  for (const isPacked of [true, false]) {
    if (isPacked) await packRuns(db, new Date(), 1);
    else await db.query('select tracing.unpack(array(select pack from tracing.run_pack))');
    expect(await whatIsThere()).toEqual(whatWasSaid());
  }
  const { json } = await said('POST', '/runs/query', {
    id: keptRuns.map(({ id }) => id),
    limit: 100,
    select: ['id', 'outputs'],
  });
  for (const { id, outputs } of json.runs)
    expect({ id, outputs }).toEqual({ id, outputs: model.get(id)!.outputs ?? null });
});

const whatWasSaid = () =>
  [...model.values()]
    .map(({ id, trace_id, dotted_order, tokens, tags, metadata, feedback, ...run }) => ({
      id,
      trace_id,
      dotted_order,
      total_tokens: tokens ?? null,
      tags: [...tags].sort(),
      metadata,
      has_outputs: 'outputs' in run,
      feedback: [...feedback].sort(),
    }))
    .sort((one, other) => (one.id < other.id ? -1 : 1));

async function whatIsThere(): Promise<object[]> {
  const { rows } = await db.query(
    `select r.id, r.trace_id, r.dotted_order, r.total_tokens, coalesce(r.tags, '{}') as tags,
       coalesce(r.metadata, '{}') as metadata, r.outputs is not null as has_outputs,
       array(select f.id::text from tracing.feedback f where f.run_id = r.id and f.trace_id = r.trace_id
         and f.project_id = r.project_id order by 1) as feedback
     from tracing.any_run r order by r.id`,
  );
  return rows;
}
