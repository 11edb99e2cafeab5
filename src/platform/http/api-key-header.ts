import type { IncomingHttpHeaders } from 'node:http';

/**
 * The key in `x-api-key`; empty if missing. Some clients send the header twice, which Node joins by a comma: equal
 * values count as one key, different ones as an invalid key.
 */
export function apiKeyOf(headers: IncomingHttpHeaders): string {
  const header = String(headers['x-api-key'] ?? '');
  const [first = '', ...others] = header.split(',').map((key) => key.trim());
  return others.every((key) => key === first) ? first : header;
}
