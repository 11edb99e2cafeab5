import type { Database } from '../../src/platform/db/database.ts';
import { BlockWriter } from '../../src/tracing/bodies/block-writer.ts';
import { weekOf } from '../../src/tracing/ingest/run-time.ts';
import { foldMinutes } from '../../src/tracing/query/fold-minutes.ts';
import { traceOf } from './corpus.ts';
import type { Tracing } from './tracing-part.ts';
import { multipartBatch } from './wire.ts';

export const RUNS = Number(process.env['BENCH_RUNS'] ?? 1_000_000);
export const LARGE = 5_000;
const PROJECT = 'bench-million';
// Of the pages that runs share their bodies from: enough that not every page reads the same block.
const BLOCKS = 64;
const BODIES_OF_A_BLOCK = 400;

export interface Million {
  session: string;
  /** A trace of 5,000 runs. */
  trace: string;
}

let made: Promise<Million> | undefined;

/** A project of 1,000,000 runs of one day, 100,000 traces of ten, made once; and in another a trace of 5,000. */
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
  await db.query(INSERT, [tenant_id, project_id, places.inputs, places.outputs, RUNS]);
  await db.query('vacuum analyze tracing.run');
  await foldMinutes(db);
  return { session: project_id, trace: large[0]!.id };
}

async function writeBodies(db: Database, tenantId: string, projectId: string) {
  const inputs: string[] = [];
  const outputs: string[] = [];
  for (let block = 0; block < BLOCKS; block++) {
    const { rows } = await db.query<{ id: number }>(
      `select nextval('tracing.body_block_id') as id from generate_series(1, 8)`,
    );
    const writer = new BlockWriter(
      tenantId,
      weekOf(new Date().toISOString()),
      rows.map(({ id }) => id),
    );
    for (const run of traceOf(PROJECT, BODIES_OF_A_BLOCK)) {
      inputs.push(writer.add(projectId, Buffer.from(JSON.stringify(run.inputs))));
      outputs.push(writer.add(projectId, Buffer.from(JSON.stringify(run.outputs))));
    }
    const statement = (await writer.statement())!;
    await db.query(statement.text, statement.values);
  }
  return { inputs, outputs };
}

// n counts from the oldest on; the runs of a trace follow each other.
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
    ($3::bigint[])[1 + n % cardinality($3::bigint[])], ($4::bigint[])[1 + n % cardinality($4::bigint[])]
  from (select n::int, now() - ($5::int - n) * step as start, step, n % 10 in (1, 2) as is_model,
      'YYYYMMDD"T"HH24MISSUS"Z"' as stamp
    from generate_series(0, $5::int - 1) n, (select interval '1 day' / $5::int as step) s) as numbered`;
