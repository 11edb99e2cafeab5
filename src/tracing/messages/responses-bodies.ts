import type { JsonObject } from '../../platform/schema.ts';
import { isObject } from '../../platform/json-object.ts';
import { isKnownBlock, readBlock } from './content-blocks.ts';
import { objectsOf } from './json-shape.ts';
import type { Message } from './message.ts';
import { assemble } from './pieces.ts';
import { readMessage } from './role-message.ts';

/**
 * `input` of the Responses API (text or items) after `instructions`. Excludes embeddings, which also have `input`.
 */
export function responsesInputs(
  body: JsonObject,
  { run_type }: { run_type?: string | null | undefined },
): unknown[] | undefined {
  const { input, instructions } = body;
  const system = Array.isArray(instructions) ? instructions : [{ role: 'system', content: instructions }];
  const before = instructions ? system : [];
  if (Array.isArray(input)) {
    const areItems = objectsOf(input).some(
      ({ role, type }) => typeof role === 'string' || isKnownBlock(type),
    );
    return areItems ? [...before, ...input] : undefined;
  }
  const isCall = 'model' in body || 'instructions' in body;
  if (typeof input !== 'string' || !isCall || run_type === 'embedding') return undefined;
  return [...before, { role: 'user', content: input }];
}

/** `output`, also from the final event of a stream. */
export function responsesOutputs(body: JsonObject): unknown[] | undefined {
  const { object, output, output_text } = isObject(body['response']) ? body['response'] : body;
  const isThere = object === 'response' || objectsOf(output).some(({ type }) => isKnownBlock(type));
  if (isThere && Array.isArray(output)) return output;
  return typeof output_text === 'string' ? [{ role: 'assistant', content: output_text }] : undefined;
}

/** Combines everything the model did in a turn into one message. */
export function readItems(items: unknown[]): Message[] {
  const isItem = (item: unknown): boolean => isObject(item) && typeof item['type'] === 'string';
  return assemble(
    'assistant',
    items.flatMap((item) => (isItem(item) ? readBlock(item) : readMessage(item))),
  );
}
