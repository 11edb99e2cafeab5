import type { JsonSchema } from '../../graph-protocol/messages.ts';
import { isObject } from '../../platform/json-object.ts';

/** A message list for language models: just enough to write one. */
const SIMPLE_MESSAGES: JsonSchema = {
  type: 'array',
  description: 'Chat messages; a bare string is one of the user',
  items: {
    anyOf: [
      { type: 'string' },
      {
        type: 'object',
        properties: {
          role: { type: 'string', enum: ['user', 'assistant', 'system'] },
          content: { type: 'string' },
        },
        required: ['role', 'content'],
      },
    ],
  },
};

/** A graph's input schema as a tool's: always an object, with simplified messages and without dangling references. */
export function toolInputSchema(schema: JsonSchema | null): JsonSchema & { type: 'object' } {
  const plain = isObject(schema) ? (simplified(schema, schema) as JsonSchema) : {};
  if (plain['type'] !== undefined && plain['type'] !== 'object') return { type: 'object' };
  return { ...plain, type: 'object' };
}

function simplified(node: unknown, root: JsonSchema): unknown {
  if (Array.isArray(node)) return node.map((item) => simplified(item, root));
  if (!isObject(node)) return node;
  if (node['langgraph_type'] === 'messages') return SIMPLE_MESSAGES;
  const { $ref, ...rest } = node;
  const kept = typeof $ref !== 'string' || !leads($ref, root) ? rest : node;
  return Object.fromEntries(Object.entries(kept).map(([key, value]) => [key, simplified(value, root)]));
}

/** True if a reference resolves within the same document. */
function leads(ref: string, root: JsonSchema): boolean {
  if (!ref.startsWith('#')) return false;
  let place: unknown = root;
  for (const step of ref.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof place !== 'object' || place === null || !Object.hasOwn(place, key)) return false;
    place = (place as JsonSchema)[key];
  }
  return true;
}
