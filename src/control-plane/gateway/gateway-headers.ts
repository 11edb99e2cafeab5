import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { withoutOurs } from '../access/session-cookie.ts';

// Hop-by-hop headers (RFC 9110 §7.6.1), and `expect`, which our own server answers.
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

/** Hop-by-hop headers, including those named in `connection`. */
function ofConnection({ connection }: IncomingHttpHeaders): ReadonlySet<string> {
  if (!connection || connection === 'keep-alive' || connection === 'close') return HOP_BY_HOP;
  const named = connection.toLowerCase().split(',');
  return new Set([...HOP_BY_HOP, ...named.map((name) => name.trim())]);
}

function endToEnd(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const dropped = ofConnection(headers);
  const kept: Record<string, string | string[]> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value !== undefined && !dropped.has(name)) kept[name] = value;
  }
  return kept;
}

/** Headers for the agent: the caller's, without our credentials, plus forwarding information. */
export function forwardedHeaders(
  request: IncomingMessage,
  { prefix, withheld }: { prefix: string; withheld: string[] },
): Record<string, string | string[]> {
  const { socket } = request;
  const { cookie, ...headers } = request.headers;
  const cookies = cookie && withoutOurs(cookie);
  const before = headers['x-forwarded-for'];
  const address = socket.remoteAddress ?? '';
  const forwarded = endToEnd(headers);
  for (const name of withheld) delete forwarded[name];
  if (cookies) forwarded['cookie'] = cookies;
  forwarded['x-forwarded-for'] = before ? `${String(before)}, ${address}` : address;
  forwarded['x-forwarded-host'] ??= headers.host ?? '';
  forwarded['x-forwarded-proto'] ??= (socket as TLSSocket).encrypted ? 'https' : 'http';
  if (prefix) forwarded['x-forwarded-prefix'] = `${String(headers['x-forwarded-prefix'] ?? '')}${prefix}`;
  return forwarded;
}

// Agent pages on path-based addresses share our origin; sandboxed, they can't act for a signed-in user.
const NO_ORIGIN = 'sandbox allow-downloads allow-forms allow-modals allow-popups allow-scripts';

// Headers that affect a whole origin or domain.
const FOR_ORIGIN = new Set([
  'set-cookie',
  'refresh',
  'strict-transport-security',
  'public-key-pins',
  'alt-svc',
  'nel',
  'report-to',
  'reporting-endpoints',
  'service-worker-allowed',
  'origin-agent-cluster',
  'accept-ch',
  'critical-ch',
  'set-login',
  'sec-session-registration',
  'use-as-dictionary',
]);
// `clear-site-data` affects a whole domain; by the others, proxies in front of us would serve files of theirs.
const DROPPED = [
  'clear-site-data',
  'x-accel-redirect',
  'x-sendfile',
  'x-lighttpd-send-file',
  'x-reproxy-url',
];

/**
 * Headers for the caller: the agent's, without those that affect the platform's pages, plus the revision if the caller
 * may know it.
 */
export function answeredHeaders(
  headers: IncomingHttpHeaders,
  { revision_id, prefix }: { revision_id?: string; prefix: string },
): Record<string, string | string[]> {
  const answered = endToEnd(headers);
  for (const name of DROPPED) delete answered[name];
  if (prefix) for (const name of FOR_ORIGIN) delete answered[name];
  else if (answered['set-cookie']) answered['set-cookie'] = [answered['set-cookie']].flat().filter(isOfHost);
  delete answered['x-slipway-revision'];
  if (revision_id) answered['x-slipway-revision'] = revision_id;
  const policies = [answered['content-security-policy'] ?? []].flat();
  if (prefix) answered['content-security-policy'] = [...policies, NO_ORIGIN];
  return answered;
}

/** Cookies with a domain also go to sibling hosts. */
const isOfHost = (cookie: string): boolean => !/;\s*domain\s*=/i.test(cookie);
