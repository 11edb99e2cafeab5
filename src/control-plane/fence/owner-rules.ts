import { getServers } from 'node:dns';
import { AGENT_UIDS } from '../users/agent-user.ts';
import { BUILD_UIDS } from '../users/build-user.ts';
import { destination } from './destinations.ts';
import { type FenceRules, fenceRules } from './rules.ts';

// $1 is the rules, the rest the command.
const APPLY = `printf %s "$1" | nft -f - || exit 1
shift
exec "$@"`;

interface Owners extends FenceRules {
  /** A separate table for a trial, which must not change the rules in use. */
  table?: string;
  users?: [first: number, last: number][];
}

/**
 * Prefix that sets the machine's firewall rules for the users of agents and builds at each start, then runs a command.
 */
export function ownerRulesPrefix({
  table = 'slipway_fence',
  users = [AGENT_UIDS, BUILD_UIDS],
  ...rules
}: Owners): string[] {
  return [
    '/bin/sh',
    '-c',
    APPLY,
    'slipway-fence',
    fenceRules({ ...rules, table, users, resolvers: resolvers() }),
  ];
}

const resolvers = () =>
  getServers().flatMap((server) => (server.includes('%') ? [] : [destination(hostOf(server))]));

/** Removes the port, which Node adds if it isn't 53: `[::1]:5353`, `127.0.0.1:5353`. */
const hostOf = (server: string): string =>
  /^\[(.*)\]/.exec(server)?.[1] ?? server.replace(/^([\d.]+):\d+$/, '$1');
