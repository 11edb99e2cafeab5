import type { Queryable, Statement } from '../../platform/db/database.ts';
import { WordFilter } from '../bodies/word-filter.ts';
import type { JsonObject } from '../../platform/schema.ts';

/** A run whose name, error, tags and metadata can be searched. */
interface WordedRun {
  run: { values: Record<string, unknown>; tags: string[]; metadata: JsonObject; isPosted: boolean };
  project_id: string;
  start_time: string;
}

interface Words {
  project_id: string | null;
  first: string;
  last: string;
  filter: WordFilter;
}

/**
 * Records the words of these rows, so that searches can rule out words that never occurred. Grouped by project, apart
 * from patch-only runs, whose project may change. Undefined if the rows have no words.
 */
export function wordsStatement(tenantId: string, positioned: WordedRun[]): Statement | undefined {
  const byProject = new Map<string | null, Words>();
  for (const { run, project_id, start_time } of positioned) {
    const { name, error } = run.values;
    const texts = [name ?? '', error ?? '', ...run.tags].map(String).filter((text) => text !== '');
    const hasMetadata = Object.keys(run.metadata).length > 0;
    if (texts.length === 0 && !hasMetadata) continue;
    const project = run.isPosted ? project_id : null;
    const words = byProject.get(project) ?? {
      project_id: project,
      first: start_time,
      last: start_time,
      filter: new WordFilter(),
    };
    byProject.set(project, words);
    if (start_time < words.first) words.first = start_time;
    if (start_time > words.last) words.last = start_time;
    if (hasMetadata) texts.push(JSON.stringify(run.metadata));
    words.filter.addRow(texts.join('\n'));
    if (hasExponent(run.metadata)) words.filter.matchEverything();
  }
  if (byProject.size === 0) return undefined;
  const rows = [...byProject.values()];
  return {
    name: 'tracing-note-words',
    text: `insert into tracing.run_words (tenant_id, project_id, first_start, last_start, grams)
      select $1, w.* from unnest($2::uuid[], $3::timestamptz[], $4::timestamptz[], $5::bytea[]) as w`,
    values: [
      tenantId,
      rows.map(({ project_id }) => project_id),
      rows.map(({ first }) => first),
      rows.map(({ last }) => last),
      rows.map(({ filter }) => filter.pack()),
    ],
  };
}

// Postgres expands such numbers.
const hasExponent = (value: unknown): boolean =>
  typeof value === 'number'
    ? String(value).includes('e')
    : typeof value === 'object' && value !== null && Object.values(value).some(hasExponent);

/** Resets the recorded words of deleted rows. Other rows recorded with them then match any word. */
export async function forgetWords(
  tx: Queryable,
  tenantId: string,
  rows: { project_id: string; start_time: string }[],
): Promise<void> {
  await tx.query(
    `with time as (select t from unnest($3::timestamptz[]) t)
     update tracing.run_words w set grams = null
     where w.tenant_id = $1 and w.grams is not null and (w.project_id is null or w.project_id = any($2::uuid[]))
       and w.last_start >= (select min(t) from time) and w.first_start <= (select max(t) from time)
       and exists (select from time where t between w.first_start and w.last_start)`,
    [
      tenantId,
      [...new Set(rows.map(({ project_id }) => project_id))],
      rows.map(({ start_time }) => start_time),
    ],
  );
}

/** Deletes recorded words older than the oldest kept run. */
export async function deleteExpiredWords(
  db: Queryable,
  kept: { tenant_id: string; project_id: string; kept_before: string }[],
): Promise<void> {
  await db.query(
    `with kept as (select * from unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) as k (tenant_id, project_id, before)),
     least as (select tenant_id, project_id, before from kept
       union all select tenant_id, null, min(before) from kept group by tenant_id)
     delete from tracing.run_words w using least k where w.tenant_id = k.tenant_id and w.last_start < k.before
       and w.project_id is not distinct from k.project_id`,
    [
      kept.map(({ tenant_id }) => tenant_id),
      kept.map(({ project_id }) => project_id),
      kept.map(({ kept_before }) => kept_before),
    ],
  );
}

/**
 * Handles blocks written by a version that records no words: they match any word from now on, and newer blocks are
 * known again once no such version writes.
 */
export async function settleUnknownWords(db: Queryable): Promise<void> {
  await db.query(
    `with unknown as (
       update tracing.body_block set first_start = null, last_start = null
       where tenant_id = any(array(select tenant_id from tracing.project)) and last_start = 'infinity' returning tenant_id)
     insert into tracing.run_words (tenant_id, first_start, last_start)
     select p.tenant_id, '-infinity', max(r.start_time) from tracing.project p
     cross join lateral (select start_time from tracing.run where project_id = p.id order by start_time desc limit 1) r
     where p.tenant_id in (select tenant_id from unknown) group by 1`,
  );
}
