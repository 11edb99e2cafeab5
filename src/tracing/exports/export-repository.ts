import type { Queryable } from '../../platform/db/database.ts';

export interface ExportRow {
  id: string;
  tenant_id: string;
  project_id: string;
  start_time: string | null;
  end_time: string | null;
  status: 'Created' | 'Running' | 'Completed' | 'Failed';
  cursor_start: string | null;
  cursor_id: string | null;
  runs: number;
  bytes: number;
  parts: number;
  created_at: string;
  updated_at: string;
  finished_at: string | null;
}

const RETENTION_DAYS = 7;

export async function insertExport(
  db: Queryable,
  row: Pick<ExportRow, 'id' | 'tenant_id' | 'project_id' | 'start_time' | 'end_time'>,
): Promise<ExportRow> {
  const { rows } = await db.query<ExportRow>(
    `insert into tracing.bulk_export (id, tenant_id, project_id, start_time, end_time)
     values ($1, $2, $3, $4, $5) returning *`,
    [row.id, row.tenant_id, row.project_id, row.start_time, row.end_time],
  );
  return rows[0]!;
}

export async function findExport(
  db: Queryable,
  tenantId: string,
  id: string,
): Promise<ExportRow | undefined> {
  const { rows } = await db.query<ExportRow>(
    'select * from tracing.bulk_export where tenant_id = $1 and id = $2',
    [tenantId, id],
  );
  return rows[0];
}

/** Newest first. */
export async function listExports(db: Queryable, tenantId: string, limit: number): Promise<ExportRow[]> {
  const { rows } = await db.query<ExportRow>(
    'select * from tracing.bulk_export where tenant_id = $1 order by created_at desc, id limit $2',
    [tenantId, limit],
  );
  return rows;
}

export async function deleteExport(db: Queryable, tenantId: string, id: string): Promise<boolean> {
  const { rowCount } = await db.query('delete from tracing.bulk_export where tenant_id = $1 and id = $2', [
    tenantId,
    id,
  ]);
  return rowCount === 1;
}

/** For the workflow, which has no tenant. Undefined if the export has ended or was deleted. */
export async function findOpenExport(db: Queryable, id: string): Promise<ExportRow | undefined> {
  const { rows } = await db.query<ExportRow>(
    `update tracing.bulk_export set status = 'Running', updated_at = clock_timestamp()
     where id = $1 and status in ('Created', 'Running') returning *`,
    [id],
  );
  return rows[0];
}

/** Returns false if another attempt has already advanced; the caller must not write then. */
export async function advanceExport(
  tx: Queryable,
  { id, parts }: ExportRow,
  next: { start: string; id: string; runs: number; bytes: number },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update tracing.bulk_export set cursor_start = $3, cursor_id = $4, runs = runs + $5, bytes = bytes + $6,
       parts = parts + 1, updated_at = clock_timestamp() where id = $1 and parts = $2 and status = 'Running'`,
    [id, parts, next.start, next.id, next.runs, next.bytes],
  );
  return rowCount === 1;
}

export async function insertPart(
  tx: Queryable,
  { id, tenant_id, parts }: ExportRow,
  bytes: Buffer,
): Promise<void> {
  await tx.query(
    'insert into tracing.bulk_export_part (tenant_id, export_id, number, bytes) values ($1, $2, $3, $4)',
    [tenant_id, id, parts, bytes],
  );
}

export async function findPart(
  db: Queryable,
  tenantId: string,
  id: string,
  number: number,
): Promise<Buffer | undefined> {
  const { rows } = await db.query<{ bytes: Buffer }>(
    'select bytes from tracing.bulk_export_part where tenant_id = $1 and export_id = $2 and number = $3',
    [tenantId, id, number],
  );
  return rows[0]?.bytes;
}

export async function endExport(db: Queryable, id: string, status: 'Completed' | 'Failed'): Promise<void> {
  await db.query(
    `update tracing.bulk_export set status = $2, finished_at = clock_timestamp(), updated_at = clock_timestamp()
     where id = $1 and status in ('Created', 'Running')`,
    [id, status],
  );
}

/** Downloads expire after a week. */
export async function deleteOldExports(db: Queryable): Promise<void> {
  await db.query(
    `delete from tracing.bulk_export where updated_at < now() - interval '${RETENTION_DAYS} days'`,
  );
}
