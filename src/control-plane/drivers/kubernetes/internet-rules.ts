import type { V1NetworkPolicyEgressRule } from '@kubernetes/client-node';
import ipaddr from 'ipaddr.js';
import { NOT_INTERNET } from '../../fence/destinations.ts';
import type { FenceRules } from '../../fence/rules.ts';

/** The Internet without private networks, metadata, services and denied addresses; policies can't deny a single port. */
export function internetRules({ deny, services }: FenceRules): V1NetworkPolicyEgressRule[] {
  const closed = [...NOT_INTERNET, ...deny, ...services].map(({ network }) => network);
  const blocks = ['0.0.0.0/0', '::/0'].flatMap((cidr) => {
    const except = within(cidr, closed);
    return except.includes(cidr) ? [] : [{ ipBlock: { cidr, except } }];
  });
  return blocks.length > 0 ? [{ to: blocks }] : [];
}

/** The allowed destinations without services. */
export function destinationRules({ allow, services }: FenceRules): V1NetworkPolicyEgressRule[] {
  return allow.flatMap(({ network, port }) => {
    const cidr = canonical(network);
    const closed = services.filter((service) => port === undefined || port === service.port);
    const except = within(
      cidr,
      closed.map((service) => service.network),
    );
    if (except.includes(cidr)) return [];
    return {
      to: [{ ipBlock: { cidr, ...(except.length > 0 && { except }) } }],
      ...(port !== undefined && { ports: [{ protocol: 'TCP', port }] }),
    };
  });
}

/** The networks that lie in `cidr`, once each. */
function within(cidr: string, networks: string[]): string[] {
  const [outer, outerBits] = ipaddr.parseCIDR(cidr);
  const inside = networks.map(canonical).filter((network) => {
    const [inner, bits] = ipaddr.parseCIDR(network);
    return inner.kind() === outer.kind() && bits >= outerBits && inner.match(outer, outerBits);
  });
  return [...new Set(inside)];
}

function canonical(network: string): string {
  const family = network.includes(':') ? ipaddr.IPv6 : ipaddr.IPv4;
  return `${family.networkAddressFromCIDR(network).toString()}/${network.split('/')[1]}`;
}
