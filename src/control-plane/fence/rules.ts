import { type Destination, isIpv6, isLoopback, NOT_INTERNET } from './destinations.ts';

export interface FenceRules {
  /** Exceptions from `deny`. */
  allow: Destination[];
  deny: Destination[];
  /** Always denied, even if allowed: the platform's Postgres and Temporal. */
  services: Destination[];
}

interface Where extends FenceRules {
  table: string;
  /** DNS servers. */
  resolvers: Destination[];
  /** User ids the rules apply to; unset in the fence's own network namespace, where they apply to all. */
  users?: [first: number, last: number][];
  /** Address that maps to the machine's loopback, for allowed destinations there. */
  machine?: string;
  /** TCP ports that others may connect to; undefined leaves incoming connections alone. */
  inbound?: number[];
}

const match = (target: Destination): string =>
  `${isIpv6(target) ? 'ip6' : 'ip'} daddr ${target.network}${target.port === undefined ? '' : ` tcp dport ${target.port}`}`;

const everywhere = (targets: Destination[]): string[] =>
  targets.filter(({ port }) => port === undefined).map(({ network }) => network);

const set = (name: string, type: string, networks: string[]): string => `set ${name} {
    type ${type}
    flags interval
    auto-merge
    ${networks.length > 0 ? `elements = { ${networks.join(', ')} }` : ''}
  }`;

/** Rules for nftables that allow the Internet and the exceptions. They replace those of an earlier start. */
export function fenceRules({
  table,
  allow,
  deny,
  services,
  resolvers,
  users,
  machine,
  inbound,
}: Where): string {
  const denied = [...NOT_INTERNET, ...deny];
  const atLoopback = allow.filter((target) => isLoopback(target) && !isIpv6(target));
  const redirected = machine === undefined ? [] : atLoopback;
  const asMachine = (target: Destination): Destination =>
    machine !== undefined && isLoopback(target) ? { ...target, network: machine } : target;
  const owners = users?.map(([first, last]) => `${first}-${last}`).join(', ');
  const lines = [
    ...(users ? [] : ['oifname "lo" accept']),
    ...(inbound ? ['ct direction reply accept'] : []),
    // IPv6 needs these to resolve addresses.
    'icmpv6 type { nd-router-solicit, nd-neighbor-solicit, nd-neighbor-advert, mld2-listener-report } accept',
    ...resolvers.map((resolver) => `${match(resolver)} meta l4proto { tcp, udp } th dport 53 accept`),
    ...services.map(asMachine).map(match).map(refuse),
    ...[...allow, ...redirected.map(asMachine)].map(match).map(accept),
    'ip daddr @denied4 goto refused',
    'ip6 daddr @denied6 goto refused',
    ...deny
      .filter(({ port }) => port !== undefined)
      .map(match)
      .map(refuse),
  ];
  return `table inet ${table} {
}
delete table inet ${table}
table inet ${table} {
  ${set('denied4', 'ipv4_addr', everywhere(denied.filter((target) => !isIpv6(target))))}
  ${set('denied6', 'ipv6_addr', everywhere(denied.filter(isIpv6)))}
  chain refused {
    meta l4proto tcp reject with tcp reset
    reject with icmpx type admin-prohibited
  }
  chain fenced {
    ${lines.join('\n    ')}
  }
  chain output {
    type filter hook output priority 0
    ${owners ? `meta skuid { ${owners} } ` : ''}jump fenced
  }
${redirected.length > 0 ? redirection(redirected, machine!) : ''}${inbound ? admission(inbound) : ''}}
`;
}

const accept = (matched: string): string => `${matched} accept`;
const refuse = (matched: string): string => `${matched} goto refused`;

const redirection = (targets: Destination[], machine: string): string => `  chain redirected {
    type nat hook output priority -100
    ${targets.map((target) => `${match(target)} dnat ip to ${machine}`).join('\n    ')}
  }
  chain masqueraded {
    type nat hook postrouting priority 100
    ip daddr ${machine} masquerade
  }
`;

const admission = (ports: number[]): string => `  chain input {
    type filter hook input priority 0; policy drop
    iifname "lo" accept
    ct state established,related accept
    icmpv6 type { nd-router-advert, nd-neighbor-solicit, nd-neighbor-advert } accept
    ${ports.map((port) => `tcp dport ${port} accept`).join('\n    ')}
  }
`;
