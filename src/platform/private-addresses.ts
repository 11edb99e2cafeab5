import ipaddr from 'ipaddr.js';
import { InvalidSetting } from './settings.ts';

/** Decides whether a request may go to a non-public address, given the requested name and the resolved address. */
export type PrivateAddresses = (host: string, address: string) => boolean;

const NAME = /^(\*\.)?[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/i;

/**
 * Parses `all`, `none`, or a comma-separated list of names (`*.d` for subdomains of `d`), addresses and networks such
 * as `10.0.0.0/8`. Throws InvalidSetting.
 */
export function readPrivateAddresses(setting: string, text: string): PrivateAddresses {
  if (text === 'all') return () => true;
  const allowed = text === 'none' ? [] : text.split(',').map((entry) => readEntry(setting, entry.trim()));
  return (host, address) => {
    const ip = ipaddr.process(address.split('%')[0]!);
    return allowed.some((isAllowed) => isAllowed(host.toLowerCase().replace(/\.$/, ''), ip));
  };
}

function readEntry(setting: string, entry: string): (host: string, ip: ipaddr.IPv4 | ipaddr.IPv6) => boolean {
  if (ipaddr.isValidCIDR(entry)) {
    const [network, bits] = ipaddr.parseCIDR(entry);
    return (_host, ip) => ip.kind() === network.kind() && ip.match(network, bits);
  }
  if (ipaddr.isValid(entry)) {
    const wanted = ipaddr.process(entry).toString();
    return (_host, ip) => ip.toString() === wanted;
  }
  if (!NAME.test(entry))
    throw new InvalidSetting(
      `${setting}=${JSON.stringify(entry)}: must be all, none, or a comma-separated list of names, addresses and networks`,
    );
  const name = entry.toLowerCase();
  return (host) => (name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name);
}
