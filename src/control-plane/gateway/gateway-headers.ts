import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { withoutOurs } from '../access/session-cookie.ts';

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

/** What the agent gets: the caller's headers without our cookies, and how the caller reached it. */
export function forwardedHeaders(
  request: IncomingMessage,
  prefix: string,
): Record<string, string | string[]> {
  const { socket } = request;
  const { cookie, ...headers } = request.headers;
  const cookies = cookie && withoutOurs(cookie);
  const before = headers['x-forwarded-for'];
  const address = socket.remoteAddress ?? '';
  return {
    ...endToEnd(headers),
    ...(cookies && { cookie: cookies }),
    'x-forwarded-for': before ? `${String(before)}, ${address}` : address,
    'x-forwarded-host': headers['x-forwarded-host'] ?? headers.host ?? '',
    'x-forwarded-proto': headers['x-forwarded-proto'] ?? ((socket as TLSSocket).encrypted ? 'https' : 'http'),
    ...(prefix && { 'x-forwarded-prefix': `${String(headers['x-forwarded-prefix'] ?? '')}${prefix}` }),
  };
}

// An agent's pages have our origin where a path leads to it: as pages of no origin they cannot act for who is signed in.
const NO_ORIGIN = 'sandbox allow-downloads allow-forms allow-modals allow-popups allow-scripts';

/** What the caller gets: the agent's headers as they are, and who answered. */
export function answeredHeaders(
  headers: IncomingHttpHeaders,
  { revision_id, prefix }: { revision_id: string; prefix: string },
): Record<string, string | string[]> {
  const kept = endToEnd(headers);
  const policies = [kept['content-security-policy'] ?? []].flat();
  return {
    ...kept,
    'x-slipway-revision': revision_id,
    ...(prefix && { 'content-security-policy': [...policies, NO_ORIGIN] }),
  };
}
