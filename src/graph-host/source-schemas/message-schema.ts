type JsonSchema = Record<string, unknown>;

/** A LangChain message, as callers send and receive it (contract §1.6). */
export const MESSAGE: JsonSchema = {
  type: 'object',
  title: 'Message',
  description: 'A chat message. `type` (or `role`, in input) says who speaks.',
  properties: {
    type: {
      type: 'string',
      enum: [
        'human',
        'ai',
        'system',
        'tool',
        'remove',
        'AIMessageChunk',
        'user',
        'assistant',
        'developer',
        'function',
      ],
    },
    role: { type: 'string' },
    content: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'object' } }] },
    id: { type: ['string', 'null'] },
    name: { type: ['string', 'null'] },
    tool_calls: { type: 'array', items: { type: 'object' } },
    tool_call_id: { type: 'string' },
  },
};

export const MESSAGES_SCHEMA: JsonSchema = {
  type: 'array',
  items: MESSAGE,
  description: 'A list of chat messages',
  // Marks the conversation for chat interfaces.
  langgraph_type: 'messages',
};

/**
 * Fills in message channels, which the engine only marks. Removes `$schema` from individually converted fields, as it
 * belongs at the root only.
 */
export function withMessageItems(schema: JsonSchema): JsonSchema {
  const properties = schema['properties'] as Record<string, JsonSchema> | undefined;
  if (!properties) return schema;
  const filled = Object.entries(properties).map(([name, { $schema: _dialect, ...property }]) => {
    const unfilled = property['langgraph_type'] === 'messages' && !property['items'];
    return [name, unfilled ? { ...MESSAGES_SCHEMA, ...property, type: 'array' } : property];
  });
  return { ...schema, properties: Object.fromEntries(filled) };
}
