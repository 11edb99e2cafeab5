import type { JsonObject } from '../../platform/schema.ts';
import { InvalidBatch, InvalidRun } from '../errors.ts';
import { type Field, type Fields, readOperation, type RunOperation } from './run-operation.ts';
import { BODY_COLUMNS } from './run-columns.ts';

/** A refusal of one run, told beside the acceptance of the others. */
export interface Refusal {
  run_id: string | null;
  detail: string;
}

export interface Batch {
  operations: RunOperation[];
  refusals: Refusal[];
}

const FIELDS = [...BODY_COLUMNS, 'error'] as const;
const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `{post: […], patch: […]}` of `POST /runs/batch` (contract §1.8). Throws InvalidBatch. */
export function readBatch(body: unknown): Batch {
  if (!isObject(body)) throw new InvalidBatch('The body must be an object with the lists post and patch');
  const batch: Batch = { operations: [], refusals: [] };
  for (const kind of ['post', 'patch'] as const) {
    const runs = body[kind] ?? [];
    if (!Array.isArray(runs)) throw new InvalidBatch(`${kind} must be a list of runs`);
    for (const run of runs) addRun(batch, kind, run);
  }
  return batch;
}

/** One run with everything inline (contract §1.8). */
export function addRun(batch: Batch, kind: RunOperation['kind'], run: unknown): void {
  const fields: Fields = {};
  if (isObject(run))
    for (const field of FIELDS) if (run[field] != null) fields[field] = inlineField(run[field]);
  addOperation(batch, kind, run, fields);
}

export function addOperation(batch: Batch, kind: RunOperation['kind'], main: unknown, fields: Fields): void {
  try {
    if (!isObject(main)) throw new InvalidRun('', 'A run must be an object');
    batch.operations.push(readOperation(kind, main, fields));
  } catch (error) {
    if (!(error instanceof InvalidRun)) throw error;
    const id = error.runId || (isObject(main) && typeof main['id'] === 'string' ? main['id'] : null);
    batch.refusals.push({ run_id: id, detail: error.message });
  }
}

const inlineField = (value: unknown): Field => ({ value, text: Buffer.from(JSON.stringify(value)) });
