import type { GraphEngine } from './graph-engine.ts';
import type { GraphSchemas, JsonSchema } from '../../graph-protocol/messages.ts';
import type { GraphInstance } from './graph-instance.ts';
import { MESSAGES_SCHEMA } from '../source-schemas/message-schema.ts';
import { type Builder, type Channels, readRuntimeSchemas } from './runtime-schemas.ts';
import type { GraphSourceSchemas } from '../source-schemas/source-schemas.ts';

/**
 * Reads a graph's schemas. Runtime schemas (zod 3 or 4, StateSchema) have types. Annotations have TypeScript types
 * only, so each channel stays open until `withSourceTypes` fills it.
 */
export function readSchemas(graph: GraphInstance | undefined, engine: GraphEngine): GraphSchemas {
  const builder: Builder | undefined = graph?.builder;
  if (!builder?._schemaDefinition) return NO_SCHEMAS;
  const { input, output, state, config } = readRuntimeSchemas(builder, engine.schemas);
  const complete = (schema: JsonSchema | null, channels = builder._schemaDefinition) =>
    withChannels(schema, channels ?? {}, engine.langgraph);
  return {
    input_schema: complete(input, builder._inputDefinition),
    output_schema: complete(output, builder._outputDefinition),
    state_schema: complete(state),
    // The engine has one schema for both `configurable` and `context`.
    config_schema: config,
    context_schema: config,
  };
}

/** Whether the source can add nothing. */
export const isComplete = ({ config_schema, ...schemas }: GraphSchemas): boolean =>
  config_schema !== null &&
  [schemas.input_schema, schemas.output_schema, schemas.state_schema].every(
    (schema) => schema !== null && !Object.values(schema['properties'] ?? {}).some(isOpen),
  );

const isOpen = (property: JsonSchema): boolean => Object.keys(property).length === 0;

/** Fills gaps with types from the source. */
export function withSourceTypes(known: GraphSchemas, source: GraphSourceSchemas): GraphSchemas {
  const isRead = Object.keys(source).length > 0;
  const config =
    known.config_schema ?? withTypes(null, source.config) ?? (isRead ? { type: 'object' } : null);
  return {
    input_schema: withTypes(known.input_schema, source.input),
    output_schema: withTypes(known.output_schema, source.output),
    state_schema: withTypes(known.state_schema, source.state),
    config_schema: config,
    context_schema: config,
  };
}

function withTypes(schema: JsonSchema | null, types: Record<string, JsonSchema> = {}): JsonSchema | null {
  if (!schema) return Object.keys(types).length > 0 ? { type: 'object', properties: types } : null;
  const known = schema['properties'] as Record<string, JsonSchema> | undefined;
  if (!known) return schema;
  const properties = Object.entries(known).map(([name, property]) => [
    name,
    isOpen(property) && Object.hasOwn(types, name) ? types[name] : property,
  ]);
  return { ...schema, properties: Object.fromEntries(properties) };
}

const NO_SCHEMAS: GraphSchemas = {
  input_schema: null,
  output_schema: null,
  state_schema: null,
  config_schema: null,
  context_schema: null,
};

/** Gives each channel a property: open without a schema, and detected by the reducer for message channels. */
function withChannels(
  schema: JsonSchema | null,
  channels: Channels,
  langgraph: GraphEngine['langgraph'],
): JsonSchema {
  const known = (schema?.['properties'] ?? {}) as JsonSchema;
  const describe = (name: string, channel: unknown) => {
    const own = known[name] as JsonSchema | undefined;
    if (own && Object.keys(own).length > 0) return own;
    return isMessages(name, channel, langgraph) ? MESSAGES_SCHEMA : {};
  };
  const properties = Object.fromEntries(
    Object.entries(channels).map(([name, channel]) => [name, describe(name, channel)]),
  );
  // The whole state is one unnamed value.
  if (properties['__root__']) return properties['__root__'];
  return { ...schema, type: 'object', properties };
}

function isMessages(
  name: string,
  channel: unknown,
  { messagesStateReducer }: GraphEngine['langgraph'],
): boolean {
  const instance = typeof channel === 'function' ? (channel as () => unknown)() : channel;
  const { operator, reducer = operator, initialValueFactory } = (instance ?? {}) as Record<string, unknown>;
  if (
    reducer === messagesStateReducer ||
    (reducer as { name?: string } | undefined)?.name?.startsWith('messages')
  )
    return true;
  return name === 'messages' && typeof reducer === 'function' && startsAsList(initialValueFactory);
}

function startsAsList(initial: unknown): boolean {
  return (
    initial === undefined || (typeof initial === 'function' && Array.isArray((initial as () => unknown)()))
  );
}
