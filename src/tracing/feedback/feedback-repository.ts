import type { Queryable, Statement } from '../../platform/db/database.ts';
import { givenColumns } from '../../platform/db/given-columns.ts';
import { Where } from '../../platform/db/where.ts';
import type { JsonObject } from '../../platform/schema.ts';
import { retainStatement } from '../traces/retained-traces.ts';
import { storableJson } from '../json/storable-json.ts';
import { type FeedbackUpdate, type NewFeedback, scoreOf } from './feedback.ts';

/** Feedback as clients read it (contract §1.13). Every key is present, even if null. */
export type FeedbackRow = JsonObject & { id: string; run_id: string | null; key: string };

const ROW = `f.id, f.run_id, f.trace_id, f.project_id as session_id, f.key, f.score, f.value, f.comment, f.correction,
  jsonb_build_object('type', f.source_type, 'metadata', null, 'user_id', null, 'user_name', null) || f.source as feedback_source,
  f.feedback_group_id, f.comparative_experiment_id, f.extra, f.error, f.created_at, f.modified_at`;

const COLUMNS = {
  id: 'uuid',
  run_id: 'uuid',
  trace_id: 'uuid',
  project_id: 'uuid',
  key: 'text',
  score: 'double precision',
  value: 'jsonb',
  comment: 'text',
  correction: 'jsonb',
  source: 'jsonb',
  source_type: 'text',
  feedback_group_id: 'uuid',
  comparative_experiment_id: 'uuid',
  extra: 'jsonb',
  error: 'boolean',
};
const names = Object.keys(COLUMNS);
const FOUND = {
  project_id: 'coalesce(n.project_id, r.project_id)',
  trace_id: 'coalesce(n.trace_id, r.trace_id)',
};

const INSERT = `insert into tracing.feedback as f (tenant_id, ${names.join(', ')}, created_at)
  select $1, ${names.map((name) => FOUND[name as keyof typeof FOUND] ?? `n.${name}`).join(', ')},
    coalesce(n.created_at, clock_timestamp())
  from json_to_recordset($2) as n (${Object.entries(COLUMNS)
    .map((column) => column.join(' '))
    .join(', ')}, created_at timestamptz)
  left join lateral (select r.project_id, r.trace_id from tracing.run r
    where (n.project_id is null or n.trace_id is null) and r.tenant_id = $1 and r.id = n.run_id
    order by r.start_time desc limit 1) r on true
  on conflict (tenant_id, id) do update set ${names
    .filter((name) => name !== 'id')
    .map((name) => `${name} = excluded.${name}`)
    .join(', ')}, modified_at = clock_timestamp()
  returning f.id`;

/** Statements that write feedback idempotently and copy project and trace from the run if it exists. */
export function feedbackStatements(tenantId: string, feedback: NewFeedback[]): Statement[] {
  if (feedback.length === 0) return [];
  const configs = feedback.flatMap(({ key, feedback_config }) =>
    feedback_config ? [{ feedback_key: key, feedback_config }] : [],
  );
  const latest = [...new Map(feedback.map((one) => [one.id, one])).values()];
  // A fixed lock order prevents deadlocks between writers.
  latest.sort((one, other) => (one.id < other.id ? -1 : 1));
  const statements: Statement[] = [{ text: INSERT, values: [tenantId, storableJson(latest)] }];
  const kept = retainStatement(
    tenantId,
    latest.flatMap(({ run_id, keeps_trace }) => (keeps_trace && run_id !== null ? run_id : [])),
  );
  if (kept) statements.push(kept);
  if (configs.length > 0)
    statements.push({
      text: `insert into tracing.feedback_config (tenant_id, feedback_key, feedback_config)
        select distinct on (c.feedback_key) $1::uuid, c.feedback_key, c.feedback_config
        from json_to_recordset($2) as c (feedback_key text, feedback_config jsonb) order by c.feedback_key
        on conflict do nothing`,
      values: [tenantId, storableJson(configs)],
    });
  return statements;
}

export interface FeedbackSearch {
  run?: string[] | undefined;
  key?: string[] | undefined;
  source?: string[] | undefined;
  session?: string[] | undefined;
  user?: string[] | undefined;
  min_created_at?: string | undefined;
  max_created_at?: string | undefined;
  has_comment?: boolean | undefined;
  has_score?: boolean | undefined;
  level?: 'run' | 'session' | undefined;
  comparative_experiment_id?: string | undefined;
  /** Feedback on runs of these traces. */
  traces?: string[] | undefined;
  limit: number;
  offset: number;
}

/** Newest first. */
export async function listFeedback(
  db: Queryable,
  tenantId: string,
  search: FeedbackSearch,
): Promise<FeedbackRow[]> {
  const where = new Where()
    .andEquals('f.tenant_id', tenantId)
    .andAny('f.run_id', search.run)
    .andAny('f.key', search.key)
    .andAny('f.source_type', search.source)
    .andAny('f.project_id', search.session)
    .andAny(`f.source ->> 'user_id'`, search.user)
    .andEquals('f.comment is not null', search.has_comment)
    .andEquals('f.score is not null', search.has_score)
    .andEquals('f.run_id is not null', search.level && search.level === 'run')
    .andEquals('f.comparative_experiment_id', search.comparative_experiment_id);
  if (search.traces)
    where.and`f.run_id in (select r.id from tracing.run r where r.tenant_id = f.tenant_id and r.trace_id = any(${search.traces}::uuid[]))`;
  if (search.min_created_at) where.and`f.created_at >= ${search.min_created_at}`;
  if (search.max_created_at) where.and`f.created_at <= ${search.max_created_at}`;
  const { rows } = await db.query<FeedbackRow>(
    `select ${ROW} from tracing.feedback f ${where.text} order by f.created_at desc, f.id desc
     limit ${where.bind(search.limit)} offset ${where.bind(search.offset)}`,
    where.values,
  );
  return rows;
}

export async function findFeedback(
  db: Queryable,
  tenantId: string,
  id: string,
): Promise<FeedbackRow | undefined> {
  const { rows } = await db.query<FeedbackRow>(
    `select ${ROW} from tracing.feedback f where f.tenant_id = $1 and f.id = $2`,
    [tenantId, id],
  );
  return rows[0];
}

/** Updates the given fields. */
export async function updateFeedback(
  db: Queryable,
  tenantId: string,
  id: string,
  update: FeedbackUpdate,
): Promise<FeedbackRow | undefined> {
  const { feedback_config: _said, ...changed } = update;
  const row = { ...changed, ...('score' in changed && { score: scoreOf(changed.score) }) };
  const { rows } = await db.query<FeedbackRow>(
    `update tracing.feedback f set ${givenColumns(row, ['score', 'value', 'comment', 'correction'])
      .map((name) => `${name} = n.${name}, `)
      .join('')} modified_at = clock_timestamp()
     from json_to_record($3) as n (score double precision, value jsonb, comment text, correction jsonb)
     where f.tenant_id = $1 and f.id = $2 returning ${ROW}`,
    [tenantId, id, storableJson(row)],
  );
  return rows[0];
}

/** Returns false if it did not exist. */
export async function deleteFeedback(db: Queryable, tenantId: string, id: string): Promise<boolean> {
  const { rowCount } = await db.query('delete from tracing.feedback where tenant_id = $1 and id = $2', [
    tenantId,
    id,
  ]);
  return rowCount !== 0;
}
