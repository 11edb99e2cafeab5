import type { IncomingMessage } from 'node:http';
import { InvalidRequest, TooLarge } from '../errors.ts';

/**
 * Reads a JSON body whatever its content type says; an empty body is `{}` (contract §1.1). U+0000, which Postgres
 * cannot hold, becomes U+FFFD. Throws InvalidRequest on bad JSON, TooLarge beyond `limit` bytes.
 */
export async function readJsonBody(request: IncomingMessage, limit: number): Promise<unknown> {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw new TooLarge(limit);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw new TooLarge(limit);
    chunks.push(chunk);
  }
  const text = (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString('utf8');
  if (text.trim() === '') return {};
  try {
    return text.includes('\\u0000') ? JSON.parse(text, replaceNul) : JSON.parse(text);
  } catch {
    throw new InvalidRequest('Invalid JSON in request body');
  }
}

function replaceNul(this: unknown, _key: string, value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '\uFFFD');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const spoiled = Object.keys(value).some((key) => key.includes('\0'));
  return spoiled
    ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key.replaceAll('\0', '\uFFFD'), item]))
    : value;
}
