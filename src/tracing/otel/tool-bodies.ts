import { isObject } from '../../platform/json-object.ts';
import { parsed } from './attribute-values.ts';
import type { EventMessages } from './message-events.ts';
import type { Attributes } from './otel-span.ts';

interface ToolBodies {
  inputs: Attributes | undefined;
  outputs: Attributes | undefined;
}

/** Arguments and result of a tool span that reports them as messages. Undefined otherwise. */
export function toolBodiesOf(attributes: Attributes, { inputs, outputs }: EventMessages): ToolBodies {
  const call = partOf(attributes['gen_ai.input.messages'], 'tool_call');
  const response = partOf(attributes['gen_ai.output.messages'], 'tool_call_response');
  return {
    inputs: asObject(call ? parsed(call['arguments']) : parsed(messageOf(inputs)?.['content']), 'input'),
    outputs: response
      ? toolMessage(response['response'] ?? response['result'], response['id'])
      : answerOf(outputs),
  };
}

function partOf(messages: unknown, type: string): Attributes | undefined {
  const list = parsed(messages);
  if (!Array.isArray(list)) return undefined;
  const parts = list.flatMap((item): unknown => (isObject(item) ? item['parts'] : []));
  return parts.filter(isObject).find((part) => part['type'] === type);
}

const messageOf = (inputs: Attributes | undefined): Attributes | undefined => {
  const [message, ...others] = (inputs?.['messages'] ?? []) as Attributes[];
  return others.length === 0 && message?.['role'] === 'tool' ? message : undefined;
};

function answerOf(outputs: Attributes | undefined): Attributes | undefined {
  const [choice] = (outputs?.['choices'] ?? []) as Attributes[];
  const message = choice?.['message'];
  return isObject(message) ? toolMessage(message['content'], message['id']) : undefined;
}

const toolMessage = (content: unknown, id: unknown): Attributes | undefined =>
  content === undefined
    ? undefined
    : { role: 'tool', content, ...(id !== undefined && { tool_call_id: id }) };

function asObject(value: unknown, name: string): Attributes | undefined {
  if (value === undefined) return undefined;
  return isObject(value) ? value : { [name]: value };
}
