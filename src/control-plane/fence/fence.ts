import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { FIRST_UID } from '../users/agent-user.ts';
import { configuredRules, type FenceSettings } from './configured-rules.ts';
import { type Destination, ownAddresses } from './destinations.ts';
import { ownerRulesPrefix } from './owner-rules.ts';
import type { FenceRules } from './rules.ts';
import { tryFence } from './trial.ts';
import { PASTA, SLIRP4NETNS, type UserNetwork, userNetworkPrefix } from './user-network.ts';

const execute = promisify(execFile);

/** Lets agents and builds reach the Internet, but neither this machine nor private networks. */
export interface Fence {
  /**
   * Prefix for a command that starts as root and then drops its privileges. Standard streams and descriptor 3 stay
   * open. Allows `also` in addition to the settings.
   */
  prefix(also?: Destination[]): Promise<string[]>;
  detail: string;
  /** The missing requirement, and how to meet it. */
  missing?: string;
}

type MakePrefix = (rules: FenceRules) => string[];

interface Candidate {
  name: string;
  programs: string[];
  detail: string;
  prefix: MakePrefix;
  /** Prefix for a trial: leaves running agents and builds alone, and prints messages to standard error. */
  trial: MakePrefix;
}

const userNetwork = (network: UserNetwork): Candidate => ({
  name: network.program,
  programs: [network.program, 'nft'],
  detail: `agents and builds run in separate networks (${network.program}) that reach only the Internet`,
  prefix: (rules) => userNetworkPrefix(network, rules),
  trial: (rules) => userNetworkPrefix(network, rules, true),
});

// In order of preference: slirp4netns needs 3 MB of memory, pasta 31 MB.
export const CANDIDATES: Candidate[] = [
  userNetwork(SLIRP4NETNS),
  userNetwork(PASTA),
  {
    name: 'nft',
    programs: ['nft'],
    detail: 'firewall rules let the users of agents and builds reach only the Internet',
    prefix: ownerRulesPrefix,
    trial: (rules) => ownerRulesPrefix({ ...rules, table: TRIAL_TABLE, users: [[TRIAL_UID, TRIAL_UID]] }),
  },
];

// Unique to this process, as several may run trials at once.
const TRIAL_UID = FIRST_UID + process.pid;
const TRIAL_TABLE = `slipway_trial_${process.pid}`;
// Picks the error among the lines that the programs print.
const FAILURE = /error|fail|could|did not|cannot|denied|not permitted|not supported/i;
const REACHED = 'agents and builds can reach ports on this machine';
const INSTALL = 'install slirp4netns (or passt) and nftables';

const found = new Map<string, Promise<Fence>>();

/** Returns the first fence that works here, determined by trial. Throws InvalidSetting. */
export function findFence(settings: FenceSettings): Promise<Fence> {
  const { SLIPWAY_FENCE_ALLOW, SLIPWAY_FENCE_DENY, DATABASE_URL, TEMPORAL_ADDRESS } = settings;
  const key = JSON.stringify([SLIPWAY_FENCE_ALLOW, SLIPWAY_FENCE_DENY, DATABASE_URL, TEMPORAL_ADDRESS]);
  const known = found.get(key) ?? tryFences(settings);
  found.set(key, known);
  return known;
}

/** Like `findFence`, for the given candidates and without the cache. */
export async function tryFences(settings: FenceSettings, candidates = CANDIDATES): Promise<Fence> {
  const rules = async (also: Destination[] = []) => {
    const { allow, deny, services } = await configuredRules(settings);
    return { allow: [...allow, ...also], deny: [...deny, ...ownAddresses()], services };
  };
  // Invalid settings fail here, even without a fence.
  await rules();
  if (process.platform !== 'linux') return none('the network fence requires Linux');
  if (process.getuid?.() !== 0) return none('the network fence requires starting the platform as root');
  let failure: string | undefined;
  for (const { name, programs, detail, prefix, trial } of candidates) {
    if (!(await areInstalled(programs))) continue;
    try {
      await tryFence((allow) => trial({ allow, deny: ownAddresses(), services: [] }), TRIAL_UID);
      return { detail, prefix: async (also) => prefix(await rules(also)) };
    } catch (error) {
      failure ??= `${name}: ${reasonOf(error)}`;
    } finally {
      if (name === 'nft') await execute('nft', ['delete', 'table', 'inet', TRIAL_TABLE]).catch(() => {});
    }
  }
  return none(failure ? `${INSTALL}; ${failure}` : INSTALL);
}

const none = (why: string): Fence => ({
  prefix: () => Promise.resolve([]),
  detail: REACHED,
  missing: `${REACHED}: ${why}`,
});

async function areInstalled(programs: string[]): Promise<boolean> {
  const lookups = programs.map((program) => execute('/bin/sh', ['-c', 'command -v "$1"', 'sh', program]));
  return Promise.all(lookups).then(
    () => true,
    () => false,
  );
}

function reasonOf(error: unknown): string {
  const { stderr, message } = error as Error & { stderr?: string };
  return stderr?.split('\n').find((line) => FAILURE.test(line)) || message.split('\n')[0]!;
}
