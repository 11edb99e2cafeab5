import { isObject } from '../../platform/json-object.ts';
import { parsed, unflattened } from './attribute-values.ts';
import { readMessages } from './flattened-messages.ts';
import type { BodySource } from './family.ts';
import type { Attributes } from './otel-span.ts';

export interface Body {
  value: Attributes;
  source: BodySource;
}

/**
 * Inputs or outputs of a span from the first source with a value. Non-objects go under `name` or the source's key.
 */
export function bodyOf(
  attributes: Attributes,
  sources: readonly BodySource[],
  name: 'input' | 'output',
): Body | undefined {
  for (const source of sources) {
    const value = valueOf(attributes, source);
    if (value === undefined || value === null || value === '') continue;
    const body = asObject(value, source.as, name);
    const instructions = source.system ? parsed(attributes[source.system]) : undefined;
    return { value: instructions ? withInstructions(body, instructions) : body, source };
  }
  return undefined;
}

function valueOf(attributes: Attributes, source: BodySource): unknown {
  if ('attribute' in source) {
    const isPlain = source.mime !== undefined && attributes[source.mime] === 'text/plain';
    return isPlain ? attributes[source.attribute] : parsed(attributes[source.attribute]);
  }
  if ('read' in source) return source.read(attributes);
  const value = unflattened(attributes, source.flattened);
  if (value === undefined) return undefined;
  return source.as === 'messages' ? readMessages(value) : unwrapped(value);
}

function asObject(value: unknown, as: string | undefined, name: string): Attributes {
  if (isObject(value)) return value;
  // Text in a field for messages is a completion rather than a conversation.
  return Array.isArray(value) ? { [as ?? name]: value } : { [as && as !== 'messages' ? as : name]: value };
}

/** Unwraps `[{document: {…}}]` to `[{…}]` and parses its JSON metadata. */
function unwrapped(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((item: unknown) => {
    const entries = isObject(item) ? Object.entries(item) : [];
    const inner = entries.length === 1 ? entries[0]![1] : item;
    return isObject(inner)
      ? Object.fromEntries(
          Object.entries(inner).map(([key, part]) => {
            const name = key.replace(/^(?:document|embedding|prompt)\./, '');
            return [name, name === 'metadata' ? parsed(part) : part];
          }),
        )
      : inner;
  });
}

function withInstructions(body: Attributes, instructions: unknown): Attributes {
  const { messages } = body;
  if (!Array.isArray(messages)) return { ...body, system: instructions };
  const system = Array.isArray(instructions)
    ? { role: 'system', parts: instructions as unknown[] }
    : { role: 'system', content: instructions };
  return { ...body, messages: [system, ...(messages as unknown[])] };
}
