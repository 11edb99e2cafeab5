import { isObject } from '../../platform/json-object.ts';
import { type Fields } from './envelope.ts';

/** A tool call's lifecycle (contract §15.2), from the engine's tool events; undefined for an event without a call. */
export function toolData(data: unknown): Fields | undefined {
  if (isObject(data) && String(data['event']).startsWith('tool-')) return data;
  if (!isObject(data) || typeof data['toolCallId'] !== 'string') return undefined;
  const { toolCallId: tool_call_id, name, input, data: delta, output, error } = data;
  switch (data['event']) {
    case 'on_tool_start':
      return { event: 'tool-started', tool_call_id, tool_name: name ?? 'tool', input: readInput(input) };
    case 'on_tool_event':
      return { event: 'tool-output-delta', tool_call_id, delta: asText(delta) };
    case 'on_tool_end':
      return { event: 'tool-finished', tool_call_id, output: output ?? null };
    case 'on_tool_error':
      return {
        event: 'tool-error',
        tool_call_id,
        message: isObject(error) ? asText(error['message']) : asText(error),
      };
    default:
      return undefined;
  }
}

const asText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? null);

/** The engine sends arguments as their original text. */
function readInput(input: unknown): unknown {
  if (typeof input !== 'string' || !/^\s*[{[]/.test(input)) return input ?? null;
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}
