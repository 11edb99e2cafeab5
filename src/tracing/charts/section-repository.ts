import type { Queryable } from '../../platform/db/database.ts';
import { uuid7 } from '../../platform/ids.ts';
import type { Section } from './chart.ts';

const COLUMNS = 'id, title, description, index';
type SectionChange = Partial<Pick<Section, 'title' | 'index'>> & { description?: string };

export async function insertSection(
  db: Queryable,
  tenantId: string,
  { title = 'Charts', description, index = 0 }: SectionChange,
): Promise<Section> {
  const { rows } = await db.query<Section>(
    `insert into tracing.chart_section (id, tenant_id, title, description, index) values ($1, $2, $3, $4, $5)
     returning ${COLUMNS}`,
    [uuid7(), tenantId, title, description, index],
  );
  return rows[0]!;
}

export async function listSections(db: Queryable, tenantId: string, id?: string): Promise<Section[]> {
  const { rows } = await db.query<Section>(
    `select ${COLUMNS} from tracing.chart_section where tenant_id = $1 and ($2::uuid is null or id = $2)
     order by index, created_at, id`,
    [tenantId, id],
  );
  return rows;
}

export async function updateSection(
  db: Queryable,
  tenantId: string,
  id: string,
  { title, description, index }: SectionChange,
): Promise<Section | undefined> {
  const { rows } = await db.query<Section>(
    `update tracing.chart_section set title = coalesce($3, title), description = coalesce($4, description),
       index = coalesce($5, index) where tenant_id = $1 and id = $2 returning ${COLUMNS}`,
    [tenantId, id, title, description, index],
  );
  return rows[0];
}

/** Also deletes its charts. */
export async function deleteSection(db: Queryable, tenantId: string, id: string): Promise<boolean> {
  const { rowCount } = await db.query('delete from tracing.chart_section where tenant_id = $1 and id = $2', [
    tenantId,
    id,
  ]);
  return rowCount === 1;
}
