import { isUtf8 } from 'node:buffer';
import { parse } from 'csv-parse/sync';
import { Type } from 'typebox';
import { uuid7 } from '../../platform/ids.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { compileValidator, Detail, JsonObject, Uuid } from '../../platform/schema.ts';
import { callerOf } from '../caller.ts';
import { DatasetNotFound, InvalidBatch, InvalidExample } from '../errors.ts';
import { boundaryOf, type Part, splitMultipart } from '../request/multipart.ts';
import { requestBytes } from '../request/request-bytes.ts';
import { UNSTORABLE } from '../json/storable-json.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import { DatasetCreate } from './dataset.ts';
import { eachExample } from './dataset-export.ts';
import { deleteDataset, existingDataset, findDataset, insertDataset } from './dataset-repository.ts';
import { copyExamples } from './example-copies.ts';
import { createExamples } from './example-service.ts';
import { readAsOf } from './dataset-versions.ts';
import type { ExampleRow } from './example.ts';

const tags = ['Datasets'];
const checkDataset = compileValidator(DatasetCreate, 'body');

/** Creates datasets from CSV files or from other datasets (contract §1.13). */
export const datasetCopyRoutes = (deps: TracingDeps): Route[] => {
  const { db, config } = deps;
  return [
    defineRoute({
      method: 'post',
      path: '/datasets/upload',
      operationId: 'uploadDataset',
      tags,
      summary: 'Create a dataset from a CSV file',
      responses: { 200: JsonObject, 409: Detail, 422: Detail },
      handle: async ({ ctx }) => {
        const { tenant_id } = callerOf(ctx);
        const boundary = boundaryOf(ctx.get('content-type'));
        if (!boundary) throw new InvalidBatch('Content-Type must be multipart/form-data with a boundary');
        const parts = splitMultipart(await requestBytes(ctx.req, config.SLIPWAY_TRACE_BODY_BYTES), boundary);
        const { dataset, examples } = readUpload(parts);
        const { id } = await insertDataset(db, tenant_id, dataset);
        try {
          if (examples.length > 0) await createExamples(deps, tenant_id, id, examples);
        } catch (error) {
          await deleteDataset(db, tenant_id, id);
          throw error;
        }
        return findDataset(db, tenant_id, id);
      },
    }),
    defineRoute({
      method: 'post',
      path: '/datasets/clone',
      operationId: 'cloneDataset',
      tags,
      summary: 'Copy examples from one dataset to another',
      body: Type.Object({
        source_dataset_id: Uuid,
        target_dataset_id: Uuid,
        examples: Type.Optional(Type.Array(Uuid, { maxItems: 10_000 })),
        as_of: Type.Optional(Type.String()),
        split: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())])),
      }),
      responses: { 200: Type.Array(JsonObject), 404: Detail },
      handle: async ({ ctx, body }) => {
        const { tenant_id } = callerOf(ctx);
        await existingDataset(db, tenant_id, body.source_dataset_id);
        if (!(await findDataset(db, tenant_id, body.target_dataset_id)))
          throw new DatasetNotFound(body.target_dataset_id);
        const as_of = await readAsOf(db, tenant_id, body.source_dataset_id, body.as_of);
        const search = {
          dataset: body.source_dataset_id,
          id: body.examples,
          splits: body.split === undefined ? undefined : [body.split].flat(),
          as_of,
        };
        const rows: ExampleRow[] = [];
        for await (const row of eachExample(db, tenant_id, search)) rows.push(row);
        const { example_ids } = await copyExamples(db, tenant_id, body.target_dataset_id, rows);
        return example_ids.map((id) => ({ id, dataset_id: body.target_dataset_id }));
      },
    }),
  ];
};

/** The fields `file`, `input_keys`, `output_keys`, `metadata_keys`, `name`, `description` and `data_type`. */
function readUpload(parts: Part[]) {
  const texts = (field: string) =>
    parts.filter(({ name }) => name === field).map(({ body }) => storableTextOf(field, body));
  const [file] = texts('file');
  if (file === undefined) throw new InvalidExample('Missing part: file');
  const rows = readCsv(file);
  const keys = {
    inputs: texts('input_keys').flatMap(splitKeys),
    outputs: texts('output_keys').flatMap(splitKeys),
    metadata: texts('metadata_keys').flatMap(splitKeys),
  };
  const columns = Object.keys(rows[0] ?? {});
  const missing = Object.values(keys)
    .flat()
    .find((key) => rows.length > 0 && !columns.includes(key));
  if (missing !== undefined) throw new InvalidExample(`No such column in the file: ${missing.slice(0, 100)}`);
  const pick = (row: Record<string, string>, names: string[]) =>
    Object.fromEntries(names.map((name) => [name, row[name]!]));
  const examples = rows.map((row) => ({
    id: uuid7(),
    body: {
      inputs: pick(row, keys.inputs),
      outputs: keys.outputs.length > 0 ? pick(row, keys.outputs) : null,
      metadata: pick(row, keys.metadata),
    },
    attachments: [],
  }));
  const dataset = checkDataset({
    name:
      texts('name')[0] ||
      parts.find(({ name }) => name === 'file')?.file ||
      `Upload of ${new Date().toISOString()}`,
    description: texts('description')[0] ?? null,
    data_type: texts('data_type')[0] ?? null,
  });
  return { dataset, examples };
}

function storableTextOf(field: string, bytes: Buffer): string {
  const text = bytes.toString('utf8');
  if (!isUtf8(bytes)) throw new InvalidExample(`Part ${field} is not UTF-8`);
  if (text.includes('\0')) throw new InvalidExample(`Part ${field}: ${UNSTORABLE}`);
  return text;
}

// Clients repeat the field or send a comma-separated list.
const splitKeys = (text: string): string[] =>
  text
    .split(',')
    .map((key) => key.trim())
    .filter(Boolean);

function readCsv(text: string): Record<string, string>[] {
  try {
    return parse(text, { columns: true, bom: true, skip_empty_lines: true });
  } catch (error) {
    throw new InvalidExample(`Invalid CSV file: ${(error as Error).message.slice(0, 200)}`);
  }
}
