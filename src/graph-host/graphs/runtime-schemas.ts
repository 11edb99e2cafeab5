import type { JsonSchema } from '../../graph-protocol/messages.ts';
import type { SchemaModule } from './graph-engine.ts';
import { withMessageItems } from '../source-schemas/message-schema.ts';

export type Channels = Record<string, unknown>;

/** Engine internals of a state graph's builder; the names are the same since 1.0. */
export interface Builder {
  /** Channels by name. */
  _schemaDefinition?: Channels;
  _inputDefinition?: Channels;
  _outputDefinition?: Channels;
  /** The author's definition, if it exists at run time. */
  _schemaRuntimeDefinition?: unknown;
  _inputRuntimeDefinition?: unknown;
  _outputRuntimeDefinition?: unknown;
  _configRuntimeSchema?: unknown;
}

const STATE = '_schemaRuntimeDefinition';
const INPUT = '_inputRuntimeDefinition';
const PARTIAL_STATE = Symbol.for('langgraph.state.partial');

/** JSON schemas of a graph defined with zod 3 or 4, or a StateSchema. Null for each defined otherwise. */
export function readRuntimeSchemas(builder: Builder, engine: SchemaModule) {
  const input = builder[INPUT] === PARTIAL_STATE ? STATE : INPUT;
  return {
    state: read(engine.getStateTypeSchema, builder, STATE, 'getJsonSchema'),
    input: read(engine.getInputTypeSchema, builder, input, 'getInputJsonSchema'),
    output: read(engine.getOutputTypeSchema, builder, '_outputRuntimeDefinition', 'getJsonSchema'),
    config: read(engine.getConfigTypeSchema, builder, '_configRuntimeSchema', 'getJsonSchema'),
  };
}

type Reader = (graph: { builder: Builder }) => unknown;
type Method = 'getJsonSchema' | 'getInputJsonSchema';
interface Definition extends Partial<Record<Method, () => JsonSchema>> {
  shape?: object;
  pick?: (this: object, keys: object) => unknown;
}

function read(reader: Reader, builder: Builder, key: keyof Builder, method: Method): JsonSchema | null {
  const whole = attempt(() => reader({ builder }));
  if (whole !== FAILED) return isSchema(whole) ? withMessageItems(whole) : null;
  const definition = builder[key] as Definition;
  // Some engines have StateSchema, but their schema reader does not support it.
  const own = attempt(() => definition[method]?.());
  if (isSchema(own)) return withMessageItems(own);
  return definition.shape ? readFields(reader, builder, key, definition) : null;
}

/** Reads each field separately, because the reader fails as a whole if JSON Schema cannot express one. */
function readFields(reader: Reader, builder: Builder, key: keyof Builder, object: Definition): JsonSchema {
  const properties: JsonSchema = {};
  const required: unknown[] = [];
  for (const name of Object.keys(object.shape ?? {})) {
    const one = attempt(() => reader({ builder: { ...builder, [key]: object.pick!({ [name]: true }) } }));
    const schema = isSchema(one) ? one : {};
    properties[name] = (schema['properties'] as JsonSchema | undefined)?.[name] ?? {};
    required.push(...((schema['required'] as unknown[] | undefined) ?? []));
  }
  return withMessageItems({ type: 'object', properties, ...(required.length > 0 && { required }) });
}

const FAILED = Symbol('failed');

function attempt(convert: () => unknown): unknown {
  try {
    return convert();
  } catch {
    return FAILED;
  }
}

const isSchema = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null;
