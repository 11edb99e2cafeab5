import type { IncomingHttpHeaders } from 'node:http';

/**
 * The key in `x-api-key`; empty when there is none. Some clients send the header twice, which Node joins by a comma:
 * equal values are one key, and different ones are none that could be valid.
 */
export function apiKeyOf(headers: IncomingHttpHeaders): string {
  const header = String(headers['x-api-key'] ?? '');
  const [first = '', ...others] = header.split(',').map((key) => key.trim());
  return others.every((key) => key === first) ? first : header;
}
