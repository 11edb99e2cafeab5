import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';
import { InvalidSetting } from '../../platform/settings.ts';

const family = (address: string): 'ipv4' | 'ipv6' => (isIPv6(address) ? 'ipv6' : 'ipv4');
const MAPPED = /^::ffff:(?=\d+\.)/i;

/**
 * Finds the client's address: that of the connection, or that in X-Forwarded-For if the connection is from a trusted
 * proxy. `trusted` is a comma-separated list of addresses and networks such as 10.0.0.0/8. Throws InvalidSetting.
 */
export function clientAddress(trusted: string | undefined): (request: IncomingMessage) => string {
  const findClient = clientFinder(trusted);
  return (request) => {
    const { address } = findClient(request);
    return isIPv6(address) ? networkOf(address) : address;
  };
}

/** Also returns whether the sender itself is trusted to act for other clients. */
export function clientFinder(
  trusted: string | undefined,
): (request: IncomingMessage) => { address: string; isTrusted: boolean } {
  const proxies = readProxies(trusted);
  const isProxy = (address: string): boolean => proxies.check(address, family(address));
  return ({ socket, headers }) => {
    let address = plain(socket.remoteAddress ?? '');
    const forwarded = String(headers['x-forwarded-for'] ?? '').split(',');
    // Reads from the right: entries left of an untrusted address can be forged.
    while (isIP(address) && isProxy(address)) {
      const next = plain(forwarded.pop()?.trim() ?? '');
      if (!isIP(next)) break;
      address = next;
    }
    return { address, isTrusted: isIP(address) !== 0 && isProxy(address) };
  };
}

const plain = (address: string): string => address.replace(MAPPED, '');

/** Groups IPv6 addresses by /64, because each client has that many. */
function networkOf(address: string): string {
  const [head = '', tail] = address.split('%')[0]!.toLowerCase().split('::');
  const groups = head ? head.split(':') : [];
  const rest = tail ? tail.split(':') : [];
  const missing = tail === undefined ? 0 : 8 - groups.length - rest.length;
  const all = [...groups, ...Array<string>(Math.max(missing, 0)).fill('0'), ...rest];
  return `${all
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}

function readProxies(text = ''): BlockList {
  const proxies = new BlockList();
  for (const entry of text.split(',').map((item) => item.trim())) {
    if (!entry) continue;
    const [address = '', bits] = entry.split('/');
    try {
      if (bits === undefined) proxies.addAddress(address, family(address));
      else proxies.addSubnet(address, Number(bits), family(address));
    } catch {
      throw new InvalidSetting(`SLIPWAY_TRUSTED_PROXIES: ${entry} is not an address or network`);
    }
  }
  return proxies;
}
