import type { Queryable } from '../../platform/db/database.ts';
import { Where } from '../../platform/db/where.ts';
import { storableJson } from '../json/storable-json.ts';
import type { FeedbackConfig } from './feedback.ts';

/** How a tenant interprets the values of a feedback key. */
export interface FeedbackConfigRow {
  feedback_key: string;
  feedback_config: FeedbackConfig;
  is_lower_score_better: boolean;
  tenant_id: string;
  modified_at: string;
}

type NewFeedbackConfig = Pick<FeedbackConfigRow, 'feedback_key' | 'feedback_config'> &
  Partial<Pick<FeedbackConfigRow, 'is_lower_score_better'>>;

const ROW = 'feedback_key, feedback_config, is_lower_score_better, tenant_id, modified_at';

/** Undefined if the key has a different configuration. */
export async function insertFeedbackConfig(
  db: Queryable,
  tenantId: string,
  { feedback_key, feedback_config, is_lower_score_better }: NewFeedbackConfig,
): Promise<FeedbackConfigRow | undefined> {
  const values = [tenantId, feedback_key, storableJson(feedback_config), is_lower_score_better];
  await db.query(
    `insert into tracing.feedback_config (tenant_id, feedback_key, feedback_config, is_lower_score_better)
     values ($1, $2, $3, coalesce($4, false)) on conflict do nothing`,
    values,
  );
  const { rows } = await db.query<FeedbackConfigRow>(
    `select ${ROW} from tracing.feedback_config
     where tenant_id = $1 and feedback_key = $2 and jsonb_strip_nulls(feedback_config) = jsonb_strip_nulls($3::jsonb)
       and is_lower_score_better = coalesce($4, is_lower_score_better)`,
    values,
  );
  return rows[0];
}

export interface FeedbackConfigSearch {
  key?: string[] | undefined;
  name_contains?: string | undefined;
  limit: number;
  offset: number;
}

export async function listFeedbackConfigs(
  db: Queryable,
  tenantId: string,
  { key, name_contains, limit, offset }: FeedbackConfigSearch,
): Promise<FeedbackConfigRow[]> {
  const where = new Where().andEquals('tenant_id', tenantId).andAny('feedback_key', key);
  if (name_contains) where.and`strpos(lower(feedback_key), lower(${name_contains})) > 0`;
  const { rows } = await db.query<FeedbackConfigRow>(
    `select ${ROW} from tracing.feedback_config ${where.text}
     order by feedback_key limit ${where.bind(limit)} offset ${where.bind(offset)}`,
    where.values,
  );
  return rows;
}

/** Undefined if it does not exist. */
export async function updateFeedbackConfig(
  db: Queryable,
  tenantId: string,
  { feedback_key, feedback_config, is_lower_score_better }: Partial<NewFeedbackConfig>,
): Promise<FeedbackConfigRow | undefined> {
  const { rows } = await db.query<FeedbackConfigRow>(
    `update tracing.feedback_config set feedback_config = coalesce($3::jsonb, feedback_config),
       is_lower_score_better = coalesce($4, is_lower_score_better), modified_at = clock_timestamp()
     where tenant_id = $1 and feedback_key = $2 returning ${ROW}`,
    [tenantId, feedback_key, feedback_config && storableJson(feedback_config), is_lower_score_better],
  );
  return rows[0];
}

export async function deleteFeedbackConfig(db: Queryable, tenantId: string, key: string): Promise<boolean> {
  const { rowCount } = await db.query(
    'delete from tracing.feedback_config where tenant_id = $1 and feedback_key = $2',
    [tenantId, key],
  );
  return rowCount !== 0;
}
