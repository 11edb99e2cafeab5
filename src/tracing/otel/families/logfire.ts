import { parsed } from '../attribute-values.ts';
import type { Family } from '../family.ts';
import type { Attributes } from '../otel-span.ts';
import { isObject } from '../../../platform/json-object.ts';

/** Pydantic's Logfire, and Pydantic AI before it adopted the GenAI conventions. */
export const logfire: Family = {
  inputs: [
    { attribute: 'request_data', as: 'messages' },
    { attribute: 'prompt' },
    { keys: 'all_messages_events', read: (attributes) => inputMessages(attributes['all_messages_events']) },
    { attribute: 'pydantic_ai.all_messages', as: 'messages' },
    { keys: 'events', read: (attributes) => inputMessages(attributes['events']) },
    { attribute: 'tool_arguments' },
  ],
  outputs: [
    { attribute: 'response_data', as: 'messages' },
    { attribute: 'final_result' },
    { keys: 'events', read: (attributes) => answered(attributes['events']) },
    { attribute: 'tool_response' },
  ],
  model: ['model_name'],
  params: {
    model_request_parameters: '',
  },
  tags: ['logfire.tags'],
  own: ['logfire.json_schema'],
};

const messagesIn = (value: unknown): Attributes[] => {
  const events = parsed(value);
  return Array.isArray(events) ? events.filter(isObject) : [];
};

const isChoice = (event: Attributes): boolean => event['event.name'] === 'gen_ai.choice';

/** The messages in a list of events, without the model's answer. */
function inputMessages(value: unknown): unknown {
  const messages = messagesIn(value).filter((event) => !isChoice(event));
  return messages.length > 0 ? { messages } : undefined;
}

function answered(value: unknown): unknown {
  const choices = messagesIn(value).filter(isChoice);
  return choices.length > 0 ? { choices } : undefined;
}
