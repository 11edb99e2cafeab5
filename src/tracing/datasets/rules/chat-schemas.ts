import type { JsonObject } from '../../../platform/schema.ts';

const Content = { type: ['string', 'array', 'null'], items: { type: ['object', 'string'] } };
const Call = {
  type: 'object',
  required: ['id', 'function'],
  properties: {
    id: { type: 'string' },
    type: { const: 'function' },
    function: {
      type: 'object',
      required: ['name', 'arguments'],
      properties: { name: { type: 'string' }, arguments: { type: 'string' } },
    },
  },
};

const message: JsonObject = {
  type: 'object',
  required: ['role'],
  properties: {
    role: { enum: ['system', 'developer', 'user', 'assistant', 'tool', 'function'] },
    content: Content,
    name: { type: 'string' },
    tool_calls: { type: 'array', items: Call },
    tool_call_id: { type: 'string' },
  },
};

const tool: JsonObject = {
  type: 'object',
  required: ['type', 'function'],
  properties: {
    type: { const: 'function' },
    function: {
      type: 'object',
      required: ['name'],
      properties: {
        name: { type: 'string' },
        description: { type: 'string' },
        parameters: { type: 'object' },
        strict: { type: ['boolean', 'null'] },
      },
    },
  },
};

export const CHAT_SCHEMAS_AT = '/public/schemas/v1/';
const HOSTS = ['https://api.smith.langchain.com', 'https://eu.api.smith.langchain.com'];

/** Chat message and tool schemas under the hosted platform's URLs, which dataset schemas refer to. */
export const CHAT_SCHEMAS = HOSTS.flatMap((host) => [
  { $id: `${host}${CHAT_SCHEMAS_AT}message.json`, ...message },
  { $id: `${host}${CHAT_SCHEMAS_AT}tooldef.json`, ...tool },
]);
