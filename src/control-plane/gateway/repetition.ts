import type { IncomingMessage } from 'node:http';

// Idempotent methods (RFC 9110 §9.2.2).
const IDEMPOTENT = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'TRACE']);

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Whether the request may be sent again: by its method, or because the caller says so. */
export const isRepeatable = ({ method = 'GET', headers }: IncomingMessage): boolean =>
  IDEMPOTENT.has(method) || headers['idempotency-key'] !== undefined;

/**
 * Buffers the body of a repeatable request. Undefined for one that is streamed instead: without a body or content
 * length, not repeatable, or above `mostBytes`.
 */
export async function keptBody(request: IncomingMessage, mostBytes: number): Promise<Buffer | undefined> {
  const length = Number(request.headers['content-length'] ?? 0);
  if (!isRepeatable(request) || length === 0 || length > mostBytes) return undefined;
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
