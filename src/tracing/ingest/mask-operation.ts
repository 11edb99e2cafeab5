import { BODY_COLUMNS } from '../runs/run-columns.ts';
import type { RunOperation } from './run-operation.ts';
import { previewOf } from '../messages/preview.ts';
import type { Mask } from '../masking/mask-rules.ts';
import { maskJson, maskValue } from '../masking/mask-values.ts';

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
