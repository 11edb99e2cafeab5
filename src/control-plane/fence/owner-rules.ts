import { getServers } from 'node:dns';
import { AGENT_UIDS } from '../drivers/agent-user.ts';
import { BUILD_UIDS } from '../builds/build-user.ts';
import { destination } from './destinations.ts';
import { type FenceRules, fenceRules } from './rules.ts';

// $1 rules; the rest is the command.
const APPLY = `printf %s "$1" | nft -f - || exit 1
shift
exec "$@"`;

interface Owners extends FenceRules {
  /** Another one for a trial, which must not touch the rules of what runs. */
  table?: string;
  users?: [first: number, last: number][];
}

/** What sets rules on the machine for the users of agents and builds, again at each start, and runs a command. */
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

/** Servers on other ports than 53 are written as `[::1]:5353` and `127.0.0.1:5353`. */
const hostOf = (server: string): string =>
  /^\[(.*)\]/.exec(server)?.[1] ?? server.replace(/^([\d.]+):\d+$/, '$1');
