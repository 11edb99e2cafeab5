import type { Queryable } from '../../platform/db/database.ts';

export interface FeedbackToken {
  id: string;
  tenant_id: string;
  run_id: string;
  feedback_key: string;
  expires_at: string;
  created_at: string;
}

const ROW = 'id, tenant_id, run_id, feedback_key, expires_at, created_at';

export type NewFeedbackToken = Omit<FeedbackToken, 'tenant_id' | 'created_at'>;

/** Keeps existing tokens. Returns the tenant's tokens in the given order. */
export async function insertFeedbackTokens(
  db: Queryable,
  tenantId: string,
  tokens: NewFeedbackToken[],
): Promise<FeedbackToken[]> {
  await db.query(
    `insert into tracing.feedback_token (tenant_id, id, run_id, feedback_key, expires_at)
     select $1, t.id, t.run_id, t.feedback_key, t.expires_at
     from json_to_recordset($2) as t (id uuid, run_id uuid, feedback_key text, expires_at timestamptz)
     on conflict (id) do nothing`,
    [tenantId, JSON.stringify(tokens)],
  );
  const { rows } = await db.query<FeedbackToken>(
    `select ${ROW} from tracing.feedback_token where tenant_id = $1 and id = any($2) order by array_position($2, id)`,
    [tenantId, tokens.map(({ id }) => id)],
  );
  return rows;
}

/** Not limited to a tenant: callers have only the token, which determines the tenant. */
export async function findFeedbackToken(db: Queryable, id: string): Promise<FeedbackToken | undefined> {
  const { rows } = await db.query<FeedbackToken>(`select ${ROW} from tracing.feedback_token where id = $1`, [
    id,
  ]);
  return rows[0];
}

export async function listFeedbackTokens(
  db: Queryable,
  tenantId: string,
  runId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<FeedbackToken[]> {
  const { rows } = await db.query<FeedbackToken>(
    `select ${ROW} from tracing.feedback_token where tenant_id = $1 and run_id = $2
     order by created_at, id limit $3 offset $4`,
    [tenantId, runId, limit, offset],
  );
  return rows;
}
