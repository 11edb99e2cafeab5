import { type Queryable, sqlState, type Statement } from '../../platform/db/database.ts';

/** A project as a writer knows it; without a name where its id was given. */
export interface KnownProject {
  id: string;
  name: string | undefined;
}

/**
 * What keeps projects from going away under a transaction that logs runs into them: an id that was remembered may be
 * that of a project removed since, and a run in it would be seen by nobody.
 */
export function holdProjects(tenantId: string, projects: KnownProject[]): Statement {
  const distinct = [...new Map(projects.map((known) => [`${known.id}/${known.name ?? ''}`, known])).values()];
  return {
    name: 'tracing-hold-projects',
    text: 'select tracing.hold_projects($1, $2, $3)',
    values: [tenantId, distinct.map(({ id }) => id), distinct.map(({ name }) => name ?? null)],
  };
}

/** What `holdProjects` fails with. */
export const isProjectGone = (error: unknown): boolean => sqlState(error) === 'SL001';

/** Those of these ids that are projects of the tenant. */
export async function existingProjects(db: Queryable, tenantId: string, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const { rows } = await db.query<{ id: string }>(
    'select id from tracing.project where tenant_id = $1 and id = any($2)',
    [tenantId, ids],
  );
  return new Set(rows.map(({ id }) => id));
}
