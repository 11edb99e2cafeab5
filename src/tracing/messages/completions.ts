import type { JsonObject } from '../../platform/schema.ts';
import { mergeChunks } from './chat-chunks.ts';
import { listOf, objectOf, objectsOf } from './json-shape.ts';

/** `prompt` of text completions, `prompts` of LangChain. */
export function prompts({ prompt, prompts: many, system }: JsonObject): unknown[] | undefined {
  const asked = [prompt, many].flat().filter((one) => typeof one === 'string');
  return asked.length > 0 && !system ? asked : undefined;
}

/** Completions of text-only models. */
export function completions(body: JsonObject): unknown[] | undefined {
  const said = objectsOf([...listOf(body['choices']), ...listOf(body['generations']).flat()]);
  const isText = said.every(({ text, message, delta }) => typeof text === 'string' && !message && !delta);
  return isText && said.length > 0 ? said.map(({ text }) => text) : undefined;
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
