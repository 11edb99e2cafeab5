import { stringify } from 'csv-stringify/sync';
import type { Queryable } from '../../platform/db/database.ts';
import type { JsonObject } from '../../platform/schema.ts';
import { isMarked, stringifyLossless } from '../json/lossless-numbers.ts';
import { asTenant } from '../security/tenant-scope.ts';
import type { ExampleRow } from './example.ts';
import { type ExampleSearch, searchExamples } from './example-search.ts';

const PAGE_SIZE = 500;

/** All examples that match, read page by page. */
export async function* eachExample(db: Queryable, tenantId: string, search: ExampleSearch) {
  for (let offset = 0; ; offset += PAGE_SIZE) {
    const page = { limit: PAGE_SIZE, offset };
    // The response is streamed after the request's tenant scope has ended.
    const rows = await asTenant(tenantId, () =>
      searchExamples(db, tenantId, { ...search, order: 'id' }, page),
    );
    yield* rows;
    if (rows.length < PAGE_SIZE) return;
  }
}

/** One JSON line per example. */
export const jsonLine = ({ id, inputs, outputs, metadata }: ExampleRow): string =>
  `${stringifyLossless({ id, inputs, outputs, metadata })}\n`;

// Escapes formulas, which spreadsheets would execute.
const csv = (cells: string[]): string => stringify([cells], { escape_formulas: true });

/** A header, then one CSV line per example, with a column per input and output key. */
export async function* csvLines(examples: () => AsyncIterable<ExampleRow>): AsyncIterable<string> {
  const [inputs, outputs] = [new Set<string>(), new Set<string>()];
  for await (const example of examples()) {
    for (const key of Object.keys(example.inputs)) inputs.add(key);
    for (const key of Object.keys(example.outputs ?? {})) outputs.add(key);
  }
  yield csv([
    'id',
    ...[...inputs].map((key) => `inputs.${key}`),
    ...[...outputs].map((key) => `outputs.${key}`),
    'metadata',
  ]);
  for await (const { id, metadata, ...example } of examples())
    yield csv([
      id,
      ...[...inputs].map((key) => cell(example.inputs[key])),
      ...[...outputs].map((key) => cell(example.outputs?.[key])),
      stringifyLossless(metadata),
    ]);
}

const cell = (value: unknown): string =>
  value == null ? '' : typeof value === 'string' && !isMarked(value) ? value : stringifyLossless(value);

const ROLES: Record<string, string> = { human: 'user', ai: 'assistant', function: 'tool' };

/** One conversation as a fine-tuning line. An example without messages becomes a question and an answer. */
export function fineTuningLine({ inputs, outputs }: ExampleRow): string {
  const messages = [...messagesOf(inputs, 'user'), ...messagesOf(outputs ?? {}, 'assistant')];
  return `${stringifyLossless({ messages })}\n`;
}

function messagesOf(body: JsonObject, role: string): JsonObject[] {
  const lone = Object.keys(body).length === 1 ? Object.values(body)[0] : undefined;
  const raw = body['messages'] ?? body['message'] ?? body['input'] ?? body['output'] ?? lone;
  if (raw == null) return Object.keys(body).length > 0 ? [{ role, content: stringifyLossless(body) }] : [];
  return [raw].flat().map((one) => messageOf(one, role));
}

/** Accepts `{role, content}`, `{type, data: {content}}` and plain text. */
function messageOf(raw: unknown, role: string): JsonObject {
  if (typeof raw !== 'object' || raw === null) return { role, content: cell(raw) };
  const { type, data, ...message } = raw as JsonObject & { data?: JsonObject };
  if (message['role']) return message;
  const inner = typeof data === 'object' && data !== null ? data : message;
  if (inner['content'] === undefined) return { role, content: stringifyLossless(raw) };
  return { role: typeof type === 'string' ? (ROLES[type] ?? type) : role, content: inner['content'] };
}
