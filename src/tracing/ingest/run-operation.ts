import { isUuid } from '../../platform/ids.ts';
import type { JsonObject } from '../../platform/schema.ts';
import { InvalidRun } from '../errors.ts';

import { isStorableText, UNSTORABLE } from '../json/storable-json.ts';
import { previewOf } from '../messages/preview.ts';
import { projectOfAddress } from '../projects/agent-address.ts';
import { exactTexts, isExact } from '../runs/exact-texts.ts';
import { mergeExtras } from '../runs/extra-parts.ts';
import { isObject } from '../../platform/json-object.ts';
import { type Segment, readDottedOrder } from '../runs/dotted-order.ts';
import type { BodyColumn, RunColumn } from '../runs/run-columns.ts';
import { type Field, type SplitExtra, splitExtra } from '../runs/run-metadata.ts';
import { readTime } from '../runs/run-time.ts';

/** One post or patch of a run. */
export interface RunOperation {
  kind: 'post' | 'patch';
  id: string;
  /** ISO 8601, microseconds, UTC; undefined if not given. */
  start_time: string | undefined;
  position: { trace_id?: string; parent_run_id?: string; dotted_order?: string };
  session: { id?: string; name?: string };
  values: Partial<Record<RunColumn, unknown>>;
  tags: string[] | undefined;
  metadata: JsonObject | undefined;
  bodies: Partial<Record<BodyColumn, Buffer>>;
  /** Parsed bodies, for values derived from them. */
  parsed: { inputs?: unknown; outputs?: unknown; events?: unknown; extra?: unknown };
}

export type Fields = Partial<Record<BodyColumn | 'error', Field>>;

const RUN_TYPES = new Set(['llm', 'chain', 'tool', 'retriever', 'embedding', 'prompt', 'parser']);
const THREAD_KEYS = ['session_id', 'thread_id', 'conversation_id'];
// Limited by the index.
const MAX_BYTES = 2_000;
const MAX_RUN_TYPE_LENGTH = 100;

/**
 * Parses one operation (contract §1.3, §1.8). Ignores null and empty values. Throws InvalidRun, which rejects only
 * this run of the batch.
 */
export function readOperation(kind: RunOperation['kind'], main: JsonObject, fields: Fields): RunOperation {
  const id = readId(main['id'], 'id');
  if (!id) throw new InvalidRun('', 'id is missing');
  const fail = (detail: string): never => {
    throw new InvalidRun(id, detail);
  };
  const segments = readSegments(main, id, fail);
  const time = (key: string): string | undefined =>
    main[key] == null ? undefined : (readTime(main[key]) ?? fail(`${key} is not a valid time`));
  const object = (value: unknown, key: string): void => {
    if (value != null && !isObject(value)) fail(`${key} must be an object`);
  };
  object(fields.extra?.value, 'extra');
  object((fields.extra?.value as JsonObject | undefined)?.['metadata'], 'extra.metadata');
  const text = (value: unknown, key: string, longest = Infinity): string | undefined => {
    if (value == null || value === '') return undefined;
    if (typeof value !== 'string') return fail(`${key} must be a string`);
    if (Buffer.byteLength(value) > longest) fail(`${key} may not be longer than ${longest} bytes`);
    return value;
  };
  const storable = (value: string | undefined, key: string): string | undefined =>
    value === undefined || isStorableText(value) ? value : fail(`${key}: ${UNSTORABLE}`);
  const extra: SplitExtra = fields.extra
    ? splitExtra(fields.extra, kind)
    : { metadata: undefined, rest: undefined };
  const { metadata } = extra;
  const values: RunOperation['values'] = {
    name: text(main['name'], 'name', MAX_BYTES),
    run_type: knownType(storable(text(main['run_type'], 'run_type', MAX_RUN_TYPE_LENGTH), 'run_type')),
    end_time: time('end_time'),
    first_token_time: firstToken(fields.events?.value),
    error: text(fields.error?.value ?? main['error'], 'error'),
    thread_id: THREAD_KEYS.map((key) => textOf(metadata?.[key])).find(isIndexable),
    reference_example_id: readId(main['reference_example_id'], 'reference_example_id'),
    inputs_preview: previewOf(fields.inputs?.value, 'inputs'),
    outputs_preview: previewOf(fields.outputs?.value, 'outputs'),
  };
  const bodies: RunOperation['bodies'] = {};
  for (const column of ['inputs', 'outputs', 'events', 'serialized'] as const)
    if (!isEmpty(fields[column]?.value)) bodies[column] = fields[column]!.text;
  if (extra.rest) bodies.extra = extra.rest;
  const tags = readTags(main['tags'], text, fail);
  const texts = exactTexts({ name: values.name, error: values.error, tags });
  if (texts)
    bodies.extra = mergeExtras([bodies.extra ?? Buffer.from('{}'), Buffer.from(JSON.stringify(texts))]);
  return {
    kind,
    id,
    start_time: segments?.at(-1)?.start_time ?? time('start_time'),
    position: positionOf(main, segments),
    session: {
      ...optional('id', readId(main['session_id'], 'session_id')),
      ...optional(
        'name',
        storable(textOf(main['session_name']), 'session_name') ?? projectOfAddress(main['address']),
      ),
    },
    values,
    tags,
    metadata,
    bodies,
    parsed: {
      inputs: fields.inputs?.value,
      outputs: fields.outputs?.value,
      events: fields.events?.value,
      extra: texts ? { ...(fields.extra?.value as object), ...texts } : fields.extra?.value,
    },
  };
}

const optional = <Key extends string, Value>(key: Key, value: Value | undefined) =>
  (value === undefined ? {} : { [key]: value }) as Partial<Record<Key, Value>>;

function readSegments(main: JsonObject, id: string, fail: (detail: string) => never): Segment[] | undefined {
  const text = main['dotted_order'];
  if (text == null || text === '') return undefined;
  const segments = typeof text === 'string' ? readDottedOrder(text) : undefined;
  if (!segments) return fail('dotted_order is invalid');
  if (segments.at(-1)!.id !== id) return fail('dotted_order does not end with the id of the run');
  return segments;
}

function positionOf(main: JsonObject, segments: Segment[] | undefined): RunOperation['position'] {
  const parent = segments?.at(-2)?.id ?? readId(main['parent_run_id'], 'parent_run_id');
  const trace = readId(main['trace_id'], 'trace_id') ?? segments?.[0]?.id;
  const position: RunOperation['position'] = {};
  if (trace !== undefined) position.trace_id = trace;
  if (parent !== undefined) position.parent_run_id = parent;
  if (segments) position.dotted_order = String(main['dotted_order']);
  return position;
}

function readId(value: unknown, key: string): string | undefined {
  if (value == null || value === '') return undefined;
  if (typeof value !== 'string' || !isUuid(value)) throw new InvalidRun('', `${key} is not a UUID`);
  return value.toLowerCase();
}

function textOf(value: unknown): string | undefined {
  if (value == null || value === '') return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Lower-cases known types and keeps others as sent. */
const knownType = (type: string | undefined): string | undefined =>
  type && RUN_TYPES.has(type.toLowerCase()) ? type.toLowerCase() : type;

function readTags(
  tags: unknown,
  text: (tag: unknown, key: string, longest: number) => unknown,
  fail: (detail: string) => never,
): string[] | undefined {
  if (tags == null) return undefined;
  if (!Array.isArray(tags)) return fail('tags must be a list');
  const seen = new Set<unknown>();
  for (const tag of tags) {
    text(tag ?? 0, 'A tag', MAX_BYTES);
    if (seen.has(tag) && !isExact(tag))
      fail('A tag with U+0000, U+FFFD or unpaired surrogates may not repeat');
    seen.add(tag);
  }
  return tags as string[];
}

const isIndexable = (text: string | undefined): boolean =>
  text !== undefined && Buffer.byteLength(text) <= MAX_BYTES;

/** Time of the first `new_token` event, or now if the event has none. */
function firstToken(events: unknown): string | undefined {
  if (!Array.isArray(events)) return undefined;
  const now = new Date().toISOString().replace('Z', '000Z');
  const times = events.flatMap((event: { name?: unknown; time?: unknown } | null) =>
    event?.name === 'new_token' ? (event.time == null ? now : (readTime(event.time) ?? [])) : [],
  );
  return times.sort()[0];
}

function isEmpty(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value == null;
  if (Array.isArray(value)) return value.length === 0;
  for (const _ in value) return false;
  return true;
}
