import type { Database } from '../../src/platform/db/database.ts';
import { BlockWriter } from '../../src/tracing/bodies/block-writer.ts';
import { WordFilter } from '../../src/tracing/bodies/word-filter.ts';
import { locationSql } from '../../src/tracing/bodies/body-location.ts';
import { weekOf } from '../../src/tracing/runs/run-time.ts';
import { foldMinutes } from '../../src/tracing/query/fold-minutes.ts';
import { traceOf } from './corpus.ts';
import type { Tracing } from './tracing-part.ts';
import { multipartBatch } from './wire.ts';

export const RUNS = Number(process.env['BENCH_RUNS'] ?? 1_000_000);
export const LARGE = 5_000;
const PROJECT = 'bench-million';
// The texts of runs repeat after this many pages; their blocks don't.
const PAGES = 64;
const RUNS_OF_A_PAGE = 400;
const IDS_OF_A_PAGE = 8;
export const RUNS_OF_A_RARE_WORD = 100_000;
/** A word in one of 100,000 runs. */
export const RARE_WORD = 'seldomsaidatall';

export interface Million {
  session: string;
  /** A trace of 5,000 runs. */
  trace: string;
}

let made: Promise<Million> | undefined;

/** Creates, once, a project with 100,000 traces of ten runs within a day, and another with a trace of 5,000 runs. */
export const million = (tracing: Tracing): Promise<Million> => (made ??= make(tracing));

async function make({ sender, db }: Tracing): Promise<Million> {
  const large = traceOf('bench-large', LARGE);
  for (let at = 0; at < LARGE; at += 100) await sender.send(multipartBatch(large.slice(at, at + 100)));
  const [first] = traceOf(PROJECT, 1);
  await sender.send(multipartBatch([first!]));
  const { rows } = await db.query<{ tenant_id: string; project_id: string }>(
    'select tenant_id, project_id from tracing.run where id = $1',
    [first!.id],
  );
  const { tenant_id, project_id } = rows[0]!;
  const places = await writeBodies(db, tenant_id, project_id);
  await db.query(`select tracing.ensure_week((date_trunc('week', now() - interval '1 day'))::date)`);
  await db.query(INSERT, [tenant_id, project_id, places.inputs, places.outputs, RUNS, IDS]);
  await writeRare(db, tenant_id, project_id);
  await db.query(WHEN_BEGUN, [project_id]);
  // Removes pages unused with fewer than a million runs.
  await db.query(`delete from tracing.body_block where project_id = $1 and last_start = 'infinity'`, [
    project_id,
  ]);
  await db.query(WORDS, [tenant_id, project_id, ...wordsOfRows(), RUNS]);
  for (const table of ['run', 'body_block', 'run_words']) await db.query(`vacuum analyze tracing.${table}`);
  await foldMinutes(db);
  return { session: project_id, trace: large[0]!.id };
}

// Each page has its own block ids; pages that repeat it use the same ids plus a multiple of IDS.
const IDS = PAGES * IDS_OF_A_PAGE;

async function writeBodies(db: Database, tenantId: string, project_id: string) {
  const { rows } = await db.query<{ first: number }>(
    `select nextval('tracing.body_block_id') + 1000 as first`,
  );
  const { first } = rows[0]!;
  const times = Math.ceil(RUNS / (PAGES * RUNS_OF_A_PAGE));
  await db.query(`select setval('tracing.body_block_id', $1)`, [first + IDS * times]);
  const inputs: string[] = [];
  const outputs: string[] = [];
  for (let page = 0; page < PAGES; page++) {
    const writer = writerOf(tenantId, first + page * IDS_OF_A_PAGE);
    for (const run of traceOf(PROJECT, RUNS_OF_A_PAGE)) {
      const of = { project_id, start_time: run.start_time, isSearched: true };
      inputs.push(writer.add(of, Buffer.from(JSON.stringify(run.inputs))));
      outputs.push(writer.add(of, Buffer.from(JSON.stringify(run.outputs))));
    }
    const { text, values } = (await writer.statement())!;
    await db.query(text, values);
  }
  await db.query(
    `insert into tracing.body_block (week, id, tenant_id, project_id, encoding, size, bytes, grams)
     select week, id + time * $2::int, tenant_id, project_id, encoding, size, bytes, grams
     from generate_series(1, $3::int - 1) time, tracing.body_block where id >= $1 and id < $1::bigint + $2::int`,
    [first, IDS, times],
  );
  return { inputs, outputs };
}

const writerOf = (tenantId: string, first: number) =>
  new BlockWriter(
    tenantId,
    weekOf(new Date().toISOString()),
    Array.from({ length: IDS_OF_A_PAGE }, (_, n) => first + n),
  );

/** Gives every 100,000th run a text of its own. */
async function writeRare(db: Database, tenantId: string, project_id: string) {
  for (let n = RUNS_OF_A_RARE_WORD / 2; n < RUNS; n += RUNS_OF_A_RARE_WORD) {
    const { rows } = await db.query<{ id: number }>(`select nextval('tracing.body_block_id') as id`);
    const writer = writerOf(tenantId, rows[0]!.id);
    const of = { project_id, start_time: new Date().toISOString(), isSearched: true };
    const place = writer.add(of, Buffer.from(JSON.stringify({ answer: RARE_WORD })));
    const { text, values } = (await writer.statement())!;
    await db.query(text, values);
    await db.query(
      `update tracing.run set outputs = $3 where tenant_id = $1 and id = md5('r' || $2::int)::uuid`,
      [tenantId, n, place],
    );
  }
}

// Sets the start times of each block's runs.
const WHEN_BEGUN = `
  update tracing.body_block b set first_start = w.first_start, last_start = w.last_start
  from (select ${locationSql.block('p.place')} as id, min(start_time) as first_start, max(start_time) as last_start
    from tracing.run cross join lateral unnest(array[inputs, outputs]) p (place)
    where project_id = $1 and place is not null group by 1) w
  where b.id = w.id and b.project_id = $1`;

/** Columns of each page's rows other than their bodies, in the form INSERT expects. */
function wordsOfRows(): [numbers: number[], grams: (Buffer | null)[]] {
  const pages = Array.from({ length: Math.ceil(RUNS / RUNS_OF_A_PAGE) }, (_, page) => page * RUNS_OF_A_PAGE);
  const grams = pages.map((first) => {
    const filter = new WordFilter();
    for (let n = first; n < first + RUNS_OF_A_PAGE; n++) {
      const metadata = { user: `u${n % 5000}`, env: 'prod', ls_model_name: `m${n % 7}` };
      filter.addRow(`agent\nmodel\nstep ${n % 10}\nit broke\nall\nt${n % 1000}\n${JSON.stringify(metadata)}`);
    }
    return filter.pack();
  });
  return [pages, grams];
}

const WORDS = `
  insert into tracing.run_words (tenant_id, project_id, first_start, last_start, grams)
  select $1::uuid, $2::uuid, one.start_time, other.start_time, w.grams from unnest($3::int[], $4::bytea[]) as w (n, grams)
  join tracing.run one on one.tenant_id = $1 and one.id = md5('r' || w.n)::uuid
  join tracing.run other on other.tenant_id = $1
    and other.id = md5('r' || least(w.n + ${RUNS_OF_A_PAGE} - 1, $5::int - 1))::uuid`;

// n numbers the runs from the oldest; those of a trace are consecutive.
const INSERT = `
  insert into tracing.run (tenant_id, id, start_time, project_id, trace_id, parent_run_id, dotted_order, name, run_type,
    end_time, first_token_time, error, tags, metadata, thread_id, prompt_tokens, completion_tokens, total_tokens,
    total_cost, prompt_cost, completion_cost, usage, inputs_preview, outputs_preview, inputs, outputs)
  select $1::uuid, md5('r' || n)::uuid, start, $2::uuid, md5('r' || n - n % 10)::uuid,
    case when n % 10 > 0 then md5('r' || n - n % 10)::uuid end,
    to_char(start - n % 10 * step, stamp) || md5('r' || n - n % 10)::uuid
      || case when n % 10 > 0 then '.' || to_char(start, stamp) || md5('r' || n)::uuid else '' end,
    case n % 10 when 0 then 'agent' when 1 then 'model' else 'step ' || n % 10 end,
    case n % 10 when 0 then 'chain' when 1 then 'llm' when 2 then 'llm' when 3 then 'tool' else 'chain' end,
    start + exp(random() * 6 - 2) * interval '1 s', case when is_model then start + random() * interval '1 s' end,
    case when n % 97 = 0 then 'it broke' end, array['all', 't' || n % 1000],
    jsonb_build_object('user', 'u' || n % 5000, 'env', 'prod', 'ls_model_name', 'm' || n % 7), 't' || n / 50,
    case when is_model then 100 + n % 900 end, case when is_model then n % 500 end,
    case when is_model then 100 + n % 900 + n % 500 end, case when is_model then 0.001 * (n % 100) end,
    case when is_model then 0.0005 * (n % 100) end, case when is_model then 0.0005 * (n % 100) end,
    case when is_model then jsonb_build_object('model', 'm' || n % 7) end,
    repeat('what was asked ', 10), repeat('what was said ', 10),
    ($3::bigint[])[1 + n % cardinality($3::bigint[])] + (n / cardinality($3::bigint[]) * $6::bigint << 24),
    ($4::bigint[])[1 + n % cardinality($4::bigint[])] + (n / cardinality($4::bigint[]) * $6::bigint << 24)
  from (select n::int, now() - ($5::int - n) * step as start, step, n % 10 in (1, 2) as is_model,
      'YYYYMMDD"T"HH24MISSUS"Z"' as stamp
    from generate_series(0, $5::int - 1) n, (select interval '1 day' / $5::int as step) s) as numbered`;
