import { uuid7 } from '../../platform/ids.ts';
import { InvalidBatch, InvalidRun } from '../errors.ts';
import { isObject } from '../../platform/json-object.ts';
import { type Slice, sliceJson, textOfSlice } from '../json/json-slices.ts';
import { MAX_DEPTH, isDeeperThan, type Parsed } from '../json/loose-json.ts';
import { type Fields, readOperation, type RunOperation } from './run-operation.ts';

import { BODY_COLUMNS } from '../runs/run-columns.ts';

/** A rejected run of a batch whose other runs are accepted. */
export interface Refusal {
  run_id: string | null;
  detail: string;
}

export interface Batch {
  operations: RunOperation[];
  refusals: Refusal[];
}

export const TOO_DEEP = `A run may not be nested deeper than ${MAX_DEPTH} levels`;
const FIELDS = [...BODY_COLUMNS, 'error'] as const;

/** Parses `{post: […], patch: […]}` of `POST /runs/batch` (contract §1.8). Throws InvalidBatch. */
export function readBatch(sent: Parsed): Batch {
  const { value: body } = sent;
  if (!isObject(body)) throw new InvalidBatch('The body must be an object with the lists post and patch');
  const slices = sliceJson(sent.text, 3).members!;
  const batch: Batch = { operations: [], refusals: [] };
  for (const kind of ['post', 'patch'] as const) {
    const runs: unknown = body[kind] ?? [];
    if (!Array.isArray(runs)) throw new InvalidBatch(`${kind} must be a list of runs`);
    for (const [index, run] of runs.entries())
      addInlineRun(batch, kind, run, sent, slices.get(kind)!.items![index]!);
  }
  return batch;
}

/** Parses a single run with inline bodies. The path may give its id (contract §1.8). */
export function readOne(kind: RunOperation['kind'], sent: Parsed, id?: string): Batch {
  const batch: Batch = { operations: [], refusals: [] };
  // Generates a missing id for a posted run, as the hosted service does.
  const known =
    id ?? (kind === 'post' && isObject(sent.value) && sent.value['id'] == null ? uuid7() : undefined);
  const run = isObject(sent.value) && known ? { ...sent.value, id: known } : sent.value;
  addInlineRun(batch, kind, run, sent, sliceJson(sent.text, 1));
  return batch;
}

function addInlineRun(
  batch: Batch,
  kind: RunOperation['kind'],
  run: unknown,
  sent: Parsed,
  slice: Slice,
): void {
  if (sent.isDeep && isDeeperThan(run, MAX_DEPTH))
    return void batch.refusals.push({ run_id: idOf(run), detail: TOO_DEEP });
  addOperation(
    batch,
    kind,
    run,
    inlineFields({ ...sent, value: run }, () => slice),
  );
}

/** Body fields inside the run, with their original text. */
export function inlineFields({ value: run, text, isExact }: Parsed, slice: () => Slice): Fields {
  const fields: Fields = {};
  if (!isObject(run)) return fields;
  const sent = FIELDS.filter((field) => run[field] != null);
  if (sent.length === 0) return fields;
  const { members } = slice();
  for (const field of sent)
    fields[field] = { value: run[field], text: textOfSlice(text, members!.get(field)!), isExact };
  return fields;
}

export function addOperation(batch: Batch, kind: RunOperation['kind'], main: unknown, fields: Fields): void {
  try {
    if (!isObject(main)) throw new InvalidRun('', 'A run must be an object');
    batch.operations.push(readOperation(kind, main, fields));
  } catch (error) {
    if (!(error instanceof InvalidRun)) throw error;
    batch.refusals.push({ run_id: error.runId || idOf(main), detail: error.message });
  }
}

const idOf = (run: unknown): string | null =>
  isObject(run) && typeof run['id'] === 'string' ? run['id'] : null;
