import { Readable } from 'node:stream';
import type { Context } from 'koa';
import { Type } from 'typebox';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, Uuid } from '../../platform/schema.ts';
import { callerOf } from '../caller.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import { csvLines, eachExample, fineTuningLine, jsonLine } from './dataset-export.ts';
import { existingDataset } from './dataset-repository.ts';
import { findVersion, readAsOf } from './dataset-versions.ts';
import type { ExampleRow } from './example.ts';

type Examples = () => AsyncIterable<ExampleRow>;

async function* linesOf(examples: Examples, line: (example: ExampleRow) => string): AsyncIterable<string> {
  for await (const example of examples()) yield line(example);
}

const FORMATS = {
  csv: { type: 'text/csv; charset=utf-8', write: csvLines },
  jsonl: { type: 'application/jsonl', write: (examples: Examples) => linesOf(examples, jsonLine) },
  openai_ft: { type: 'application/jsonl', write: (examples: Examples) => linesOf(examples, fineTuningLine) },
};

/** Dataset downloads (contract §1.13). Each is consistent: it reads one version. */
export const datasetExportRoutes = ({ db }: TracingDeps): Route[] =>
  Object.entries(FORMATS).map(([format, { type, write }]) =>
    defineRoute({
      method: 'get',
      path: `/datasets/{dataset_id}/${format}`,
      operationId: `exportDataset_${format}`,
      tags: ['Datasets'],
      summary: `Download a dataset as ${format}`,
      params: Type.Object({ dataset_id: Uuid }),
      query: Type.Object({ as_of: Type.Optional(Type.String()) }),
      responses: { 200: { description: 'The file', content: type.split(';')[0]! }, 404: Detail },
      handle: async ({ ctx, params: { dataset_id }, query }) => {
        const { tenant_id } = callerOf(ctx);
        const { name } = await existingDataset(db, tenant_id, dataset_id);
        const requested = await readAsOf(db, tenant_id, dataset_id, query.as_of);
        const as_of = requested ?? (await findVersion(db, tenant_id, dataset_id, undefined))?.as_of;
        const examples = () => eachExample(db, tenant_id, { dataset: dataset_id, as_of });
        sendFile(ctx, type, `${name}.${format === 'csv' ? 'csv' : 'jsonl'}`);
        ctx.body = Readable.from(write(examples));
      },
    }),
  );

function sendFile(ctx: Context, type: string, name: string): void {
  ctx.set('content-type', type);
  ctx.set('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(name)}`);
}
