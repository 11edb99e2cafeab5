import type { Queryable } from '../../platform/db/database.ts';

const ALIVE = `status not in ('AWAITING_DELETE', 'AWAITING_FINAL_DELETE')`;

/** The preview of a pull request, unless it is being deleted. */
export async function findPreview(db: Queryable, of: string, number: number): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string }>(
    `select id from control_plane.deployment
     where is_preview and preview_of = $1 and preview_number = $2 and ${ALIVE} limit 1`,
    [of, number],
  );
  return rows[0]?.id;
}

/** A deployment's previews that are not being deleted. */
export async function listPreviews(db: Queryable, of: string): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select id from control_plane.deployment where is_preview and preview_of = $1 and ${ALIVE}`,
    [of],
  );
  return rows.map(({ id }) => id);
}

export interface OldPreview {
  id: string;
  tenant_id: string;
}

/** Previews without a push for that many days, and previews whose deployment is gone. */
export async function listOldPreviews(db: Queryable, days: number): Promise<OldPreview[]> {
  const { rows } = await db.query<OldPreview>(
    `select d.id, d.tenant_id from control_plane.deployment d
     left join control_plane.revision latest on latest.id = d.latest_revision_id
     where d.is_preview and d.preview_number is not null and ${ALIVE.replace('status', 'd.status')} and (d.preview_of is null
       or coalesce(latest.created_at, d.created_at) < clock_timestamp() - make_interval(days => $1))`,
    [days],
  );
  return rows;
}
