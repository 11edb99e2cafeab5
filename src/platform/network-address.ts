import ipaddr from 'ipaddr.js';

// Cloud metadata services besides the link-local 169.254.169.254.
const METADATA_SERVICES = new Set(['100.100.100.200', '168.63.129.16', 'fd00:ec2::254', 'fd20:ce::254']);

/**
 * Why requests to a user-provided IP address are forbidden; undefined if allowed. Link-local and metadata addresses
 * are always forbidden, other non-public ones only with `disable_private_ips`.
 */
export function refusedAddress(address: string, { disable_private_ips = false } = {}): string | undefined {
  const ip = embeddedIpv4(ipaddr.process(address.split('%')[0]!));
  const range = ip.range();
  if (range === 'linkLocal' || METADATA_SERVICES.has(ip.toString()))
    return 'leads to a link-local or metadata address';
  if (range === 'multicast' || range === 'broadcast') return 'leads to more than one host';
  if (disable_private_ips && range !== 'unicast') return 'leads to a private address';
  return undefined;
}

/** The IPv4 address behind a NAT64, translated or 6to4 address. */
function embeddedIpv4(ip: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  const range = ip.range();
  const bytes = ip.toByteArray();
  if (range === 'rfc6052' || range === 'rfc6145') return new ipaddr.IPv4(bytes.slice(12));
  // `::1.2.3.4`, a deprecated notation.
  if (range === 'unicast' && bytes.length === 16 && bytes.slice(0, 12).every((byte) => byte === 0))
    return new ipaddr.IPv4(bytes.slice(12));
  return range === '6to4' ? new ipaddr.IPv4(bytes.slice(2, 6)) : ip;
}

/** The IP address in a URL's host without a lookup; undefined for names. */
export function literalAddress(hostname: string): string | undefined {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return ipaddr.isValid(host) ? host : undefined;
}

/** Whether a listening address is only reachable from this machine. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || (ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback');

/** Origin of a server that listens on this host. */
export const originOf = (host: string, port: number | string): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
