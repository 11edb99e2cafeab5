import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';
import { InvalidSetting } from '../../platform/settings.ts';

const family = (address: string): 'ipv4' | 'ipv6' => (isIPv6(address) ? 'ipv6' : 'ipv4');
const MAPPED = /^::ffff:(?=\d+\.)/i;

/**
 * Finds the address a request comes from: that of the connection, unless it is a trusted proxy's, who tells in
 * X-Forwarded-For whom it serves. `trusted` are addresses and networks such as 10.0.0.0/8, separated by commas.
 * Throws InvalidSetting.
 */
export function clientAddress(trusted: string | undefined): (request: IncomingMessage) => string {
  const findClient = clientFinder(trusted);
  return (request) => {
    const { address } = findClient(request);
    return isIPv6(address) ? networkOf(address) : address;
  };
}

/** The same, and whether who sends the request is itself trusted: it asks for others, and says for whom. */
export function clientFinder(
  trusted: string | undefined,
): (request: IncomingMessage) => { address: string; isTrusted: boolean } {
  const proxies = readProxies(trusted);
  const isProxy = (address: string): boolean => proxies.check(address, family(address));
  return ({ socket, headers }) => {
    let address = plain(socket.remoteAddress ?? '');
    const told = String(headers['x-forwarded-for'] ?? '').split(',');
    // From the right: what stands to the left of an address that is not trusted may be anybody's words.
    while (isIP(address) && isProxy(address)) {
      const next = plain(told.pop()?.trim() ?? '');
      if (!isIP(next)) break;
      address = next;
    }
    return { address, isTrusted: isIP(address) !== 0 && isProxy(address) };
  };
}

const plain = (address: string): string => address.replace(MAPPED, '');

/** Whoever has an IPv6 address has 2⁶⁴ of them: they count as one. */
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
      throw new InvalidSetting(`SLIPWAY_TRUSTED_PROXIES: ${entry} is neither an address nor a network`);
    }
  }
  return proxies;
}
