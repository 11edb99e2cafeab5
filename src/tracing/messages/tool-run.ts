import type { JsonObject } from '../../platform/schema.ts';
import { isObject } from '../../platform/json-object.ts';
import { compact, textOf } from './json-shape.ts';
import { isLangChainMessage, langChainFields } from './langchain.ts';
import type { RunBodies } from './message-formats.ts';
import { argumentsOf } from './pieces.ts';

/** A tool run's input as a call. LangChain logs `input` as JSON text of arguments or a call, or as plain text. */
export function toolInputs(body: JsonObject, run: RunBodies): unknown[] | undefined {
  if (run.run_type !== 'tool') return undefined;
  const { input } = body;
  const isAlone = Object.keys(body).length === 1 && input !== undefined;
  const parsed = isAlone ? argumentsOf(input) : body;
  const isCall = parsed['type'] === 'tool_call' && isObject(parsed['args']);
  const args = isCall ? parsed['args'] : '__raw' in parsed ? { input } : parsed;
  const { tool_call_id } = answerOf(run.outputs);
  const call = {
    type: 'tool_call',
    name: run.name ?? parsed['name'],
    args,
    id: tool_call_id ?? (isCall ? parsed['id'] : undefined),
  };
  return [{ role: 'assistant', content: [call] }];
}

/** The tool's result, of any shape. */
export function toolOutputs(body: JsonObject, run: RunBodies): unknown[] | undefined {
  return run.run_type === 'tool' && Object.keys(body).length > 0 ? [answerOf(body)] : undefined;
}

function answerOf(outputs: unknown): JsonObject {
  const alone = isObject(outputs) && Object.keys(outputs).length === 1;
  const output = alone ? (outputs['output'] ?? outputs['outputs'] ?? outputs['result'] ?? outputs) : outputs;
  const fields = isLangChainMessage(output) ? langChainFields(output) : undefined;
  if (fields) return fields;
  if (isObject(output) && textOf(output['role']) === 'tool' && 'content' in output) return output;
  return compact({ role: 'tool', parts: [{ type: 'tool_call_response', response: output }] })!;
}
