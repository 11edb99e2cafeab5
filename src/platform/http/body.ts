import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { InvalidJson, InvalidRequest, TooLarge } from '../errors.ts';
import { storableText } from '../storable-text.ts';

/**
 * Reads a JSON body regardless of content type; an empty body is `{}` (contract §1.1). Replaces U+0000 and lone
 * surrogates, which Postgres cannot store, by U+FFFD. Throws InvalidJson, InvalidRequest if nested too deep, TooLarge
 * beyond `limit` bytes. `given` replaces the request's body, and `prepare` may rewrite the text before parsing.
 */
export async function readJsonBody(
  request: IncomingMessage,
  limit: number,
  given?: Buffer,
  prepare: (json: string) => string = (json) => json,
): Promise<unknown> {
  const bytes = given ?? (await readBytes(request, limit));
  if (bytes.length > limit) throw new TooLarge(limit);
  if (!isUtf8(bytes)) throw new InvalidJson();
  const text = bytes.toString('utf8');
  if (text.trim() === '') return {};
  const body = parse(prepare(text));
  if (text.length > 2 * MAX_DEPTH) refuseDeep(body, 1);
  return body;
}

async function readBytes(request: IncomingMessage, limit: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw new TooLarge(limit);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw new TooLarge(limit);
    chunks.push(chunk);
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

function parse(text: string): unknown {
  try {
    return UNSTORABLE.test(text) ? JSON.parse(text, replaceUnstorable) : JSON.parse(text);
  } catch {
    throw new InvalidJson();
  }
}

// Deeper nesting would overflow the stack when serialising, here and in Postgres.
const MAX_DEPTH = 500;

function refuseDeep(value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth > MAX_DEPTH)
    throw new InvalidRequest(`The request body is nested more than ${MAX_DEPTH} levels deep`);
  for (const item of Object.values(value)) refuseDeep(item, depth + 1);
}

// Only escapes can introduce them, because the bytes are decoded as UTF-8.
const UNSTORABLE = /\\u(?:0000|[dD][89a-fA-F])/;

function replaceUnstorable(this: unknown, _key: string, value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const spoiled = Object.keys(value).some((key) => storableText(key) !== key);
  return spoiled
    ? Object.fromEntries(Object.entries(value).map(([key, item]) => [storableText(key), item as unknown]))
    : value;
}
