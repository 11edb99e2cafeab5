import ipaddr from 'ipaddr.js';

// Where clouds hand out credentials, apart from the link-local 169.254.169.254.
const METADATA_SERVICES = new Set(['100.100.100.200', '168.63.129.16', 'fd00:ec2::254', 'fd20:ce::254']);

/**
 * Why nothing may be sent to an IP address that a user named; undefined when it may. Link-local and metadata addresses
 * are never asked; private, loopback and other addresses that are not public only where they are not refused.
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

/** The IPv4 address that a gateway would reach for a NAT64, a translated or a 6to4 address. */
function embeddedIpv4(ip: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  const range = ip.range();
  const bytes = ip.toByteArray();
  if (range === 'rfc6052' || range === 'rfc6145') return new ipaddr.IPv4(bytes.slice(12));
  // `::1.2.3.4`, as addresses were written once.
  if (range === 'unicast' && bytes.length === 16 && bytes.slice(0, 12).every((byte) => byte === 0))
    return new ipaddr.IPv4(bytes.slice(12));
  return range === '6to4' ? new ipaddr.IPv4(bytes.slice(2, 6)) : ip;
}

/** The address a URL's host is, without asking anyone; undefined for a name. */
export function literalAddress(hostname: string): string | undefined {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return ipaddr.isValid(host) ? host : undefined;
}

/** Whether an address to listen on is reached from this machine alone. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || (ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback');
