import { parsed, textOf, unflattened } from '../attribute-values.ts';
import type { Family } from '../family.ts';
import type { Attributes } from '../otel-span.ts';
import { isObject } from '../../../platform/json-object.ts';

/** LiteLLM's callback: the GenAI conventions except for tool calls and costs. */
export const liteLlm: Family = {
  outputs: [{ keys: 'gen_ai.output.messages', read: readAnswer }],
  usage: {
    'gen_ai.cost.input_cost': 'input_cost',
    'gen_ai.cost.output_cost': 'output_cost',
    'gen_ai.cost.total_cost': 'total_cost',
  },
};

/** Adds tool calls missing from the messages. Undefined if none are missing. */
function readAnswer(attributes: Attributes): unknown {
  const messages = parsed(attributes['gen_ai.output.messages']);
  if (!Array.isArray(messages) || !messages.every(isObject) || messages.some(hasCall)) return undefined;
  const completions = unflattened(attributes, 'gen_ai.completion.');
  const calls = Array.isArray(completions) ? completions.flatMap(readCall) : [];
  const [first = { role: 'assistant' }, ...others] = messages;
  if (calls.length === 0) return undefined;
  return { messages: [{ ...first, parts: [...partsOf(first), ...calls] }, ...others] };
}

const partsOf = ({ parts }: Attributes): unknown[] => (Array.isArray(parts) ? parts : []);

const hasCall = (message: Attributes): boolean =>
  partsOf(message).some((part) => isObject(part) && part['type'] === 'tool_call');

function readCall(completion: unknown): object[] {
  const call = isObject(completion) ? completion['function_call'] : undefined;
  if (!isObject(call) || textOf(call['name']) === undefined) return [];
  return [{ type: 'tool_call', name: call['name'], arguments: parsed(call['arguments']) ?? {} }];
}
