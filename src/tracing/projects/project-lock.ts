import { type Queryable, sqlState, type Statement } from '../../platform/db/database.ts';

/** A project to write to. Without a name if it was given by id. */
export interface KnownProject {
  id: string;
  name: string | undefined;
}

/**
 * Statement that locks projects against deletion while runs are written to them. Cached ids may refer to deleted
 * projects, whose runs would be invisible.
 */
export function lockProjects(tenantId: string, projects: KnownProject[]): Statement {
  const distinct = [...new Map(projects.map((known) => [`${known.id}/${known.name ?? ''}`, known])).values()];
  return {
    name: 'tracing-hold-projects',
    text: 'select tracing.hold_projects($1, $2, $3)',
    values: [tenantId, distinct.map(({ id }) => id), distinct.map(({ name }) => name ?? null)],
  };
}

/** Whether `lockProjects` failed because a project was deleted. */
export const isProjectGone = (error: unknown): boolean => sqlState(error) === 'SL001';

/** The existing ids among these. */
export async function existingProjects(db: Queryable, tenantId: string, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const { rows } = await db.query<{ id: string }>(
    'select id from tracing.project where tenant_id = $1 and id = any($2)',
    [tenantId, ids],
  );
  return new Set(rows.map(({ id }) => id));
}
