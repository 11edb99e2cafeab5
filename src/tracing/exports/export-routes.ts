import { Readable } from 'node:stream';
import { Type } from 'typebox';
import type { Context } from 'koa';
import type { Queryable } from '../../platform/db/database.ts';
import { NotFound, Unavailable } from '../../platform/errors.ts';
import { publicAddress } from '../../platform/http/public-address.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { uuid7 } from '../../platform/ids.ts';
import { Detail, StringEnum, Timestamp, Uuid } from '../../platform/schema.ts';
import { callerOf } from '../caller.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import {
  deleteExport,
  type ExportRow,
  findExport,
  findPart,
  insertExport,
  listExports,
} from './export-repository.ts';
import { issueDownload, readDownload } from './export-token.ts';

const Moment = Type.Union([Timestamp, Type.Null()]);
const Export = Type.Object({
  id: Uuid,
  session_id: Uuid,
  start_time: Moment,
  end_time: Moment,
  format: StringEnum(['JSONL']),
  compression: StringEnum(['gzip']),
  status: StringEnum(['Created', 'Running', 'Completed', 'Failed']),
  runs: Type.Integer(),
  bytes: Type.Integer(),
  created_at: Timestamp,
  updated_at: Timestamp,
  finished_at: Moment,
  /** Valid for an hour without a key. Null until completed. */
  download_url: Type.Union([Type.String(), Type.Null()]),
});
const ExportCreate = Type.Object({
  session_id: Uuid,
  start_time: Type.Optional(Moment),
  end_time: Type.Optional(Moment),
});

const DOWNLOAD_MS = 3_600_000;
const MAX = 100;
const tags = ['Exports'] as const;
const params = Type.Object({ bulk_export_id: Uuid });
const missing = (id: string) => new NotFound(`Export ${id} not found`);

/** Exports the runs of a project as JSON lines (contract §1.13). A workflow writes them. */
export function exportRoutes({ db, box, temporal, taskQueue }: TracingDeps): Route[] {
  const view = (ctx: Context, row: ExportRow) => {
    const { tenant_id, project_id, cursor_start: _start, cursor_id: _id, parts: _parts, ...rest } = row;
    const { protocol, host, prefix } = publicAddress(ctx);
    const token = issueDownload(box, { tenant_id, export_id: row.id, expires: Date.now() + DOWNLOAD_MS });
    const isDone = row.status === 'Completed';
    return {
      ...rest,
      session_id: project_id,
      format: 'JSONL',
      compression: 'gzip',
      download_url: isDone ? `${protocol}://${host}${prefix}/public/exports/${token}` : null,
    };
  };
  return [
    defineRoute({
      method: 'post',
      path: '/bulk-exports',
      operationId: 'createBulkExport',
      tags,
      summary: 'Export the runs of a project',
      body: ExportCreate,
      responses: { 201: Export, 503: Detail },
      handle: async ({ ctx, body: { session_id, start_time = null, end_time = null } }) => {
        const { tenant_id } = callerOf(ctx);
        const about = { id: uuid7(), tenant_id, project_id: session_id, start_time, end_time };
        const row = await insertExport(db, about);
        try {
          const workflowId = `${taskQueue}/bulk-export/${row.id}`;
          await temporal.workflow.start('bulkExport', { taskQueue, workflowId, args: [row.id] });
        } catch (cause) {
          await deleteExport(db, tenant_id, row.id);
          throw Object.assign(new Unavailable('Exports cannot be started right now; try again'), { cause });
        }
        ctx.status = 201;
        return view(ctx, row);
      },
    }),
    defineRoute({
      method: 'get',
      path: '/bulk-exports',
      operationId: 'listBulkExports',
      tags,
      summary: 'List exports, newest first',
      responses: { 200: Type.Array(Export) },
      handle: async ({ ctx }) =>
        (await listExports(db, callerOf(ctx).tenant_id, MAX)).map((row) => view(ctx, row)),
    }),
    defineRoute({
      method: 'get',
      path: '/bulk-exports/{bulk_export_id}',
      operationId: 'readBulkExport',
      tags,
      summary: 'Read the progress and download link of an export',
      params,
      responses: { 200: Export, 404: Detail },
      handle: async ({ ctx, params: { bulk_export_id } }) => {
        const row = await findExport(db, callerOf(ctx).tenant_id, bulk_export_id);
        if (!row) throw missing(bulk_export_id);
        return view(ctx, row);
      },
    }),
    defineRoute({
      method: 'delete',
      path: '/bulk-exports/{bulk_export_id}',
      operationId: 'deleteBulkExport',
      tags,
      summary: 'Delete an export, cancelling it if it is running',
      params,
      responses: { 204: { description: 'Removed' }, 404: Detail },
      handle: async ({ ctx, params: { bulk_export_id } }) => {
        if (!(await deleteExport(db, callerOf(ctx).tenant_id, bulk_export_id))) throw missing(bulk_export_id);
      },
    }),
    defineRoute({
      method: 'get',
      path: '/public/exports/{token}',
      operationId: 'downloadBulkExport',
      tags,
      summary: 'Download an export by its expiring link',
      params: Type.Object({ token: Type.String() }),
      responses: { 200: { description: 'JSON lines', content: 'application/gzip' }, 404: Detail },
      handle: async ({ ctx, params: { token } }) => {
        const download = readDownload(box, token);
        const row = download && (await findExport(db, download.tenant_id, download.export_id));
        if (!row || row.status !== 'Completed') throw new NotFound();
        ctx.type = 'application/gzip';
        ctx.attachment(`runs-${row.id}.jsonl.gz`);
        ctx.body = Readable.from(partsOf(db, row));
        ctx.length = row.bytes;
      },
    }),
  ];
}

async function* partsOf(db: Queryable, { tenant_id, id, parts }: ExportRow): AsyncGenerator<Buffer> {
  for (let number = 0; number < parts; number++) {
    const bytes = await findPart(db, tenant_id, id, number);
    if (!bytes) throw new Error(`Part ${number} of export ${id} is missing`);
    yield bytes;
  }
}
