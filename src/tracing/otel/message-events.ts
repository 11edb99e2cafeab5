import { isObject } from '../../platform/json-object.ts';
import { parsed } from './attribute-values.ts';
import type { Attributes, OtelEvent } from './otel-span.ts';

const ROLE_OF_EVENT: Record<string, string> = {
  'gen_ai.system.message': 'system',
  'gen_ai.user.message': 'user',
  'gen_ai.assistant.message': 'assistant',
  'gen_ai.tool.message': 'tool',
};
// Events with the same attributes that other instrumentations put on the span.
const LIKE_THE_SPAN = new Set([
  'gen_ai.client.inference.operation.details',
  'gen_ai.content.prompt',
  'gen_ai.content.completion',
]);
const CHOICE = 'gen_ai.choice';

export interface EventMessages {
  /** Event attributes to treat as attributes of the span. */
  attributes: Attributes;
  inputs: Attributes | undefined;
  outputs: Attributes | undefined;
}

/** Whether an event carries inputs or outputs and is not an event of the run. */
export const isMessageEvent = ({ name }: OtelEvent): boolean =>
  name === CHOICE || LIKE_THE_SPAN.has(name) || Object.hasOwn(ROLE_OF_EVENT, name);

/** Messages that older instrumentations send as span events (contract §1.9). */
export function messagesOfEvents(events: OtelEvent[]): EventMessages {
  const messages: Attributes[] = [];
  const choices: Attributes[] = [];
  const attributes: Attributes = {};
  for (const event of events)
    if (LIKE_THE_SPAN.has(event.name)) addAttributes(attributes, event.attributes);
    else if (event.name === CHOICE) choices.push(choiceOf(event));
    else if (Object.hasOwn(ROLE_OF_EVENT, event.name))
      messages.push({ role: ROLE_OF_EVENT[event.name], ...contentOf(event) });
  return {
    attributes,
    inputs: messages.length > 0 ? { messages } : undefined,
    outputs: choices.length > 0 ? { choices } : undefined,
  };
}

/** Concatenates lists of messages from several events. */
function addAttributes(all: Attributes, more: Attributes): void {
  for (const [key, value] of Object.entries(more)) {
    const [before, after] = [parsed(all[key]), parsed(value)];
    all[key] = Array.isArray(before) && Array.isArray(after) ? [...before, ...after] : value;
  }
}

/** Content of an event, either as JSON in one attribute or spread over attributes. */
function contentOf({ attributes }: OtelEvent): Attributes {
  const whole = parsed(attributes['gen_ai.event.content'] ?? attributes['body']);
  if (isObject(whole)) return whole;
  const { 'gen_ai.system': _system, 'gen_ai.provider.name': _provider, ...fields } = attributes;
  const calls = parsed(fields['tool_calls']);
  const blocks = parsed(fields['content']);
  return {
    ...fields,
    ...(isConverse(blocks) && { content: blocks }),
    ...(calls !== undefined && { tool_calls: calls }),
    ...(whole !== undefined && { content: whole }),
  };
}

// Strands writes Converse content blocks as JSON; other lists are user text.
const CONVERSE = ['text', 'toolUse', 'toolResult', 'reasoningContent', 'image', 'document', 'video'];

const isConverse = (content: unknown): boolean =>
  Array.isArray(content) &&
  content.length > 0 &&
  content.every((block) => {
    const [key = '', ...others] = isObject(block) ? Object.keys(block) : [];
    return others.length === 0 && CONVERSE.includes(key);
  });

function choiceOf(event: OtelEvent): Attributes {
  const { message, index = 0, finish_reason, ...fields } = contentOf(event);
  const inner = parsed(message);
  return {
    index,
    finish_reason,
    message: { role: 'assistant', ...(isObject(inner) ? inner : { content: inner }), ...fields },
  };
}
