import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';

// Of one connection, not of the message (RFC 9110 §7.6.1); `expect` has been answered by our own server.
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
]);

const named = ({ connection = '' }: IncomingHttpHeaders): string[] =>
  connection
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());

function endToEnd(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const dropped = new Set([...HOP_BY_HOP, ...named(headers)]);
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !dropped.has(name)) kept[name] = value;
  }
  return kept;
}

/** What the agent gets: the caller's headers, and how the caller reached it. */
export function forwardedHeaders(
  request: IncomingMessage,
  prefix: string,
): Record<string, string | string[]> {
  const { headers, socket } = request;
  const before = headers['x-forwarded-for'];
  const address = socket.remoteAddress ?? '';
  return {
    ...endToEnd(headers),
    'x-forwarded-for': before ? `${String(before)}, ${address}` : address,
    'x-forwarded-host': headers['x-forwarded-host'] ?? headers.host ?? '',
    'x-forwarded-proto': headers['x-forwarded-proto'] ?? ((socket as TLSSocket).encrypted ? 'https' : 'http'),
    ...(prefix && { 'x-forwarded-prefix': `${String(headers['x-forwarded-prefix'] ?? '')}${prefix}` }),
  };
}

/** What the caller gets: the agent's headers as they are, and who answered. */
export const answeredHeaders = (
  headers: IncomingHttpHeaders,
  revisionId: string,
): Record<string, string | string[]> => ({ ...endToEnd(headers), 'x-slipway-revision': revisionId });
