import { createContext, Script } from 'node:vm';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';
import { defineError } from '../../../platform/errors.ts';
import type { JsonObject } from '../../../platform/schema.ts';
import { hasMarked, unmarkNumbers } from '../../json/lossless-numbers.ts';
import { CHAT_SCHEMAS, CHAT_SCHEMAS_AT } from './chat-schemas.ts';

const MAX_LENGTH = 100_000;
const MAX_MS = 2_000;
const MAX_COMPILED = 200;

const InvalidSchema = defineError('InvalidSchema', 422, (detail: string) => detail);

// Runs in linear time on any input: patterns use RE2, and uniqueItems compares serialised text.
const linear = Object.assign(
  (pattern: string) => {
    const regex = RE2JS.compile(pattern);
    return { test: (text: string) => regex.matcher(text).find() };
  },
  { code: 'linear' },
) as unknown as NonNullable<NonNullable<ConstructorParameters<typeof Ajv>[0]>['code']>['regExp'];

const compiled = new LRUCache<string, ValidateFunction>({ max: MAX_COMPILED });

function compile(schema: JsonObject, text: string): ValidateFunction {
  const known = compiled.get(text);
  if (known) return known;
  const ajv = new Ajv({ strict: false, allErrors: false, logger: false, code: { regExp: linear! } });
  addFormats.default(ajv);
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    compile: (wanted) => (wanted ? areUnique : () => true),
  });
  if (text.includes(CHAT_SCHEMAS_AT)) for (const known of CHAT_SCHEMAS) ajv.addSchema(known);
  const { $async: _never, ...sync } = schema;
  const validate = ajv.compile(sync);
  compiled.set(text, validate);
  return validate;
}

const areUnique = (items: unknown[]): boolean =>
  new Set(items.map((item) => sortedJson(item))).size === items.length;

const sortedJson = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );

/** A compiled JSON Schema for bodies of examples (contract §1.13). */
export class ExampleSchema {
  readonly #validate: ValidateFunction;

  /** Throws InvalidSchema. */
  constructor(schema: JsonObject, name: string) {
    const text = JSON.stringify(schema);
    if (text.length > MAX_LENGTH) throw new InvalidSchema(`${name} is longer than ${MAX_LENGTH} bytes`);
    try {
      this.#validate = inTime(() => compile(schema, text));
    } catch (error) {
      throw new InvalidSchema(`${name} is not a valid JSON Schema: ${reasonOf(error)}`);
    }
  }

  /** The error of each value; undefined for valid values. Throws InvalidSchema if validation times out. */
  errorsOf(values: unknown[]): (string | undefined)[] {
    try {
      return inTime(() => values.map((value) => this.#errorOf(asNumbers(value))));
    } catch (error) {
      throw new InvalidSchema(`The dataset's schema could not be applied: ${reasonOf(error)}`);
    }
  }

  #errorOf(value: unknown): string | undefined {
    if (this.#validate(value)) return undefined;
    const { instancePath = '', message = 'does not match the schema' } = this.#validate.errors?.[0] ?? {};
    return `${instancePath.replaceAll('/', '.').slice(0, 200)} ${message}`;
  }
}

/** Replaces lossless number markers by JavaScript numbers. */
function asNumbers(value: unknown): unknown {
  const json = JSON.stringify(value);
  return hasMarked(json) ? JSON.parse(unmarkNumbers(json)) : value;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'validation failed';
  const isLate = 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
  return isLate ? `validation took longer than ${MAX_MS} ms` : error.message.slice(0, 300);
}

const CALL = new Script('work()');
const scope = createContext({}) as { work?: (() => unknown) | undefined };

/** Recursive schemas can take arbitrarily long; throws when the time limit passes. */
function inTime<Result>(work: () => Result): Result {
  scope.work = work;
  try {
    return CALL.runInContext(scope, { timeout: MAX_MS }) as Result;
  } finally {
    scope.work = undefined;
  }
}
