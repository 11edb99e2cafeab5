import { types } from 'node:util';
import { publicFailure } from '../../platform/redaction/public-failure.ts';
import { isObject } from '../../platform/json-object.ts';
import { type Fields, isMessage, messageDict } from './message-dict.ts';

declare global {
  // Node 20 has them; the es2023 library doesn't.
  interface String {
    isWellFormed(): boolean;
    toWellFormed(): string;
  }
}

/**
 * Serialises any value a graph may produce, for every route and stream. LangChain messages become flat dicts
 * (contract §1.6). A chunk as the value itself keeps its chunk type; nested in a state or event it counts as a
 * message.
 */
export function toWireJson(value: unknown): string {
  return JSON.stringify(toWire(value)) ?? 'null';
}

/** Like `toWireJson`, but returns a value. Shares unchanged parts with the input; undefined becomes null. */
export function toWire(value: unknown): unknown {
  return plain(value, []) ?? null;
}

// Deeper nesting would overflow the stack, here or in a reader.
const DEEPEST = 500;

/** `path` holds the enclosing objects, to detect cycles. */
function plain(value: unknown, path: object[]): unknown {
  if (typeof value === 'string') return storable(value);
  if (typeof value !== 'object' || value === null)
    return typeof value === 'bigint' ? plainBigInt(value) : value;
  if (path.includes(value)) return '[Circular]';
  if (path.length >= DEEPEST) return '[Too deep]';
  path.push(value);
  const result = Array.isArray(value) ? plainArray(value, path) : plainObject(value, path);
  path.pop();
  return result;
}

// jsonb stores neither NUL nor unpaired surrogates.
const storable = (text: string): string =>
  text.includes('\0') || !text.isWellFormed() ? text.replaceAll('\0', '\uFFFD').toWellFormed() : text;

const plainBigInt = (value: bigint): number | string =>
  Number.isSafeInteger(Number(value)) ? Number(value) : String(value);

function plainArray(values: unknown[], path: object[]): unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < values.length; index++) {
    const before = values[index];
    const after = plain(before, path);
    if (after !== before) (copy ??= values.slice())[index] = after;
  }
  return copy ?? values;
}

function plainObject(value: object, path: object[]): unknown {
  const prototype = Object.getPrototypeOf(value) as object | null;
  if (prototype !== Object.prototype && prototype !== null) {
    const known = plainInstance(value as Fields, path);
    if (known !== NOT_SPECIAL) return known;
  }
  if (typeof (value as Fields)['toJSON'] === 'function') return plainToJson(value as Fields, path);
  return plainFields(value as Fields, path);
}

function plainFields(fields: Fields, path: object[]): Fields {
  let copy: Fields | undefined;
  for (const key of Object.keys(fields)) {
    const before = fields[key];
    const after = plain(before, path);
    const name = storable(key);
    if (after === before && name === key) continue;
    copy ??= { ...fields };
    if (name !== key) delete copy[key];
    copy[name] = after;
  }
  return copy ?? fields;
}

const NOT_SPECIAL = Symbol('walk its own fields');

/** Instances that JSON would lose or garble. Detected by shape, because the classes are the project's own copies. */
function plainInstance(value: Fields, path: object[]): unknown {
  if (isMessage(value)) return plainFields(messageDict(value, path.length === 1), path);
  if (typeof value['lg_name'] === 'string') return plainFields(engineData(value), path);
  if (types.isDate(value)) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (types.isMap(value)) return plainMap(value, path);
  if (types.isSet(value)) return plainArray([...value], path);
  if (types.isTypedArray(value)) return plainBytes(value);
  if (types.isAnyArrayBuffer(value)) return Buffer.from(value).toString('base64');
  if (types.isNativeError(value)) return plainFields({ ...publicFailure(value) }, path);
  if (types.isBoxedPrimitive(value)) return plain((value as { valueOf(): unknown }).valueOf(), path);
  return NOT_SPECIAL;
}

function plainMap(map: ReadonlyMap<unknown, unknown>, path: object[]): unknown {
  const entries = [...map];
  const named = entries.every(([key]) => typeof key === 'string' || typeof key === 'number');
  return named ? plainFields(Object.fromEntries(entries) as Fields, path) : plainArray(entries, path);
}

/** Bytes as base64; other typed arrays as a list of numbers. */
function plainBytes(view: NodeJS.TypedArray): unknown {
  if (types.isUint8Array(view))
    return Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString('base64');
  return Array.from(view as Iterable<number | bigint>, (item) =>
    typeof item === 'bigint' ? plainBigInt(item) : item,
  );
}

function plainToJson(value: Fields, path: object[]): unknown {
  let json: unknown;
  try {
    json = (value['toJSON'] as (this: Fields) => unknown).call(value);
  } catch {
    return `[${value.constructor?.name ?? 'Object'}]`;
  }
  if (json === value) return plainFields(value, path);
  return plain(isObject(json) ? withoutMarks(json) : json, path);
}

/** Library objects as their constructor arguments. */
function withoutMarks(json: Fields): Fields {
  if (json['lc'] !== 1) return json;
  if (json['type'] === 'constructor' && isObject(json['kwargs'])) return json['kwargs'];
  return json['type'] === 'not_implemented' ? { type: 'not_implemented', id: json['id'] } : json;
}

/** A Command, Send or Overwrite without its class markers. */
function engineData({ lg_name: _name, lc_direct_tool_output: _mark, ...data }: Fields): Fields {
  return data;
}
