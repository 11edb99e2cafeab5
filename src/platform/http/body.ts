import type { IncomingMessage } from 'node:http';
import { InvalidJson, InvalidRequest, TooLarge } from '../errors.ts';
import { storableText } from '../storable-text.ts';

/**
 * Reads a JSON body whatever its content type says; an empty body is `{}` (contract §1.1). What Postgres cannot hold,
 * U+0000 and halves of surrogate pairs, becomes U+FFFD. Throws InvalidJson,
 * InvalidRequest when it is nested too deep, TooLarge beyond `limit` bytes. `given` is read instead of the request.
 * `prepare` may rewrite the text before it is parsed.
 */
export async function readJsonBody(
  request: IncomingMessage,
  limit: number,
  given?: Buffer,
  prepare: (json: string) => string = (json) => json,
): Promise<unknown> {
  const bytes = given ?? (await readBytes(request, limit));
  if (bytes.length > limit) throw new TooLarge(limit);
  const text = bytes.toString('utf8');
  if (text.trim() === '') return {};
  const body = parse(prepare(text));
  if (text.length > 2 * DEEPEST) refuseDeep(body, 1);
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

// Far deeper nesting would overflow the stack of what writes it, here and in Postgres.
const DEEPEST = 500;

function refuseDeep(value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth > DEEPEST)
    throw new InvalidRequest(`The request body is nested more than ${DEEPEST} levels deep`);
  for (const item of Object.values(value)) refuseDeep(item, depth + 1);
}

// Only an escape can bring them into a body: its bytes were decoded as UTF-8.
const UNSTORABLE = /\\u(?:0000|[dD][89a-fA-F])/;

function replaceUnstorable(this: unknown, _key: string, value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const spoiled = Object.keys(value).some((key) => storableText(key) !== key);
  return spoiled
    ? Object.fromEntries(Object.entries(value).map(([key, item]) => [storableText(key), item as unknown]))
    : value;
}
