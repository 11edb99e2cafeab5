import type { JsonObject } from '../../platform/schema.ts';
import { mergeChunks } from './chat-chunks.ts';
import { listOf, objectOf, objectsOf } from './json-shape.ts';

/** `prompt` of text completions, `prompts` of LangChain. */
export function prompts({ prompt, prompts: many, system }: JsonObject): unknown[] | undefined {
  const texts = [prompt, many].flat().filter((one) => typeof one === 'string');
  return texts.length > 0 && !system ? texts : undefined;
}

/** Completions of text-only models. */
export function completions(body: JsonObject): unknown[] | undefined {
  const generated = objectsOf([...listOf(body['choices']), ...listOf(body['generations']).flat()]);
  const isText = generated.every(
    ({ text, message, delta }) => typeof text === 'string' && !message && !delta,
  );
  return isText && generated.length > 0 ? generated.map(({ text }) => text) : undefined;
}

/** One message per choice of a response, a merged stream or stream chunks. */
export function choices(body: JsonObject): unknown[] | undefined {
  const chunks = body['output'] ?? body['outputs'];
  if (Array.isArray(chunks)) return mergeChunks(chunks);
  if (!Array.isArray(body['choices'])) return undefined;
  return objectsOf(body['choices']).map(({ message, delta }) => ({
    role: 'assistant',
    ...objectOf(message ?? delta),
  }));
}
