import type { JsonObject } from '../../platform/schema.ts';
import { BODY_COLUMNS } from '../ingest/run-columns.ts';
import { endOfString, isKey, QUOTE } from '../ingest/json-slices.ts';
import { isMarked } from '../lossless-numbers.ts';
import type { RunOperation } from '../ingest/run-operation.ts';
import { previewOf } from '../messages/preview.ts';
import type { Mask } from './mask-rules.ts';

/** Masks all texts of a run: bodies, metadata, tags and error. Everything else stays byte for byte. */
export function maskOperation(operation: RunOperation, masks: Mask[]): void {
  const { bodies, parsed, values } = operation;
  for (const column of BODY_COLUMNS) {
    const body = bodies[column];
    if (!body) continue;
    const value: unknown =
      column in parsed ? parsed[column as 'inputs'] : (JSON.parse(body.toString('utf8')) as unknown);
    const masked = maskValue(value, masks);
    if (masked === value) continue;
    bodies[column] = maskJson(body, masks);
    if (column in parsed) parsed[column as 'inputs'] = masked;
    // Recomputed, because a truncated preview may end within a match.
    if (column === 'inputs' || column === 'outputs') values[`${column}_preview`] = previewOf(masked, column);
  }
  for (const [column, value] of Object.entries(values))
    if (column === 'error' || column === 'thread_id') values[column] = maskValue(value, masks);
  operation.metadata = maskValue(operation.metadata, masks);
  operation.tags = maskValue(operation.tags, masks);
}

/** Masks the strings in JSON text and keeps everything else. */
function maskJson(body: Buffer, masks: Mask[]): Buffer {
  const pieces: Buffer[] = [];
  let kept = 0;
  for (let at = body.indexOf(QUOTE); at >= 0; at = body.indexOf(QUOTE, at)) {
    const end = endOfString(body, at);
    if (!isKey(body, end)) {
      const text = JSON.parse(body.toString('utf8', at, end)) as string;
      const masked = maskText(text, masks);
      if (masked !== text) {
        pieces.push(body.subarray(kept, at), Buffer.from(JSON.stringify(masked)));
        kept = end;
      }
    }
    at = end;
  }
  return Buffer.concat([...pieces, body.subarray(kept)]);
}

/** Masks the strings in a value, but not property names. Returns the same value if nothing matched. */
export function maskValue<Value>(value: Value, masks: Mask[]): Value {
  if (typeof value === 'string') return maskText(value, masks) as Value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => maskValue(item, masks));
    return items.some((item, index) => item !== value[index]) ? (items as Value) : value;
  }
  const changes = Object.entries(value as JsonObject).flatMap(([key, item]) => {
    const masked = maskValue(item, masks);
    return masked === item ? [] : [[key, masked] as const];
  });
  return changes.length > 0 ? { ...value, ...Object.fromEntries(changes) } : value;
}

function maskText(text: string, masks: Mask[]): string {
  if (isMarked(text)) return text;
  let masked = text;
  for (const { regex, replacement } of masks)
    if (regex.test(masked)) masked = regex.matcher(masked).replaceAll(() => replacement);
  return masked;
}
