import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import { InvalidSetting } from '../../platform/settings.ts';

/** A network in CIDR notation, optionally limited to one TCP port. */
export interface Destination {
  network: string;
  port?: number;
}

const IPV4_NOT_INTERNET = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // Has the metadata services of most clouds; Azure's has a public address.
  '169.254.0.0/16',
  '168.63.129.16/32',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/3',
];

const throughNat64 = (network: string): string => {
  const [address, bits] = network.split('/');
  return `${ipaddr.parse(`64:ff9b::${address}`).toString()}/${96 + Number(bits)}`;
};

/** Destinations other than the Internet: private networks, and cloud metadata services. */
export const NOT_INTERNET: Destination[] = [
  ...IPV4_NOT_INTERNET,
  ...IPV4_NOT_INTERNET.map(throughNat64),
  '::/96',
  '::ffff:0:0/96',
  '64:ff9b:1::/48',
  '100::/64',
  // Teredo and 6to4 embed IPv4 addresses.
  '2001::/32',
  '2002::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
].map((network) => ({ network }));

/** This machine's addresses, except loopback and link-local IPv6. */
export const machineAddresses = (): string[] =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, scopeid }) => !internal && !scopeid)
    .map(({ address }) => address);

export const ownAddresses = (): Destination[] => machineAddresses().map((address) => destination(address));

export const isIpv6 = ({ network }: Destination): boolean => network.includes(':');

export const isLoopback = ({ network }: Destination): boolean =>
  ipaddr.parseCIDR(network)[0].range() === 'loopback';

/** A single address, optionally limited to one port. */
export function destination(address: string, port?: number): Destination {
  const ip = ipaddr.process(address);
  return {
    network: `${ip.toString()}/${ip.kind() === 'ipv4' ? 32 : 128}`,
    ...(port !== undefined && { port }),
  };
}

const WITH_PORT = /^(?:\[([0-9a-f:.]+)\]|([0-9.]+)):(\d{1,5})$/i;

/**
 * Parses a comma-separated list of networks (`10.0.0.0/8`), addresses, and addresses with a port (`10.1.2.3:8080`).
 * Throws InvalidSetting.
 */
export function readDestinations(setting: string, text = ''): Destination[] {
  const entries = text.split(',').map((entry) => entry.trim());
  return entries.filter(Boolean).map((entry) => {
    if (ipaddr.isValidCIDR(entry)) {
      const [address, bits] = ipaddr.parseCIDR(entry);
      return { network: `${address.toString()}/${bits}` };
    }
    if (ipaddr.isValid(entry)) return destination(entry);
    const [, ipv6, ipv4, port] = WITH_PORT.exec(entry) ?? [];
    const address = ipv6 ?? ipv4 ?? '';
    if (ipaddr.isValid(address) && Number(port) <= 65_535) return destination(address, Number(port));
    throw new InvalidSetting(
      `${setting}=${JSON.stringify(entry)}: must be a comma-separated list of networks, and addresses with or without a port`,
    );
  });
}
