import { createHash } from 'node:crypto';

// Far above the user ids of real accounts.
export const FIRST_UID = 2_000_000;
const UIDS = 1 << 24;

/** User ids of all agents. */
export const AGENT_UIDS: [first: number, last: number] = [FIRST_UID, FIRST_UID + UIDS - 1];

/** The user id of a deployment's agents; the same on every host, so that they keep owning their files. */
export const uidOf = (deploymentId: string): number =>
  FIRST_UID + (createHash('sha256').update(deploymentId).digest().readUInt32BE() % UIDS);

/** Prefix that runs a command, started as root, as another user who can't gain privileges. */
export const asUser = (uid: number): string[] => [
  'setpriv',
  `--reuid=${uid}`,
  `--regid=${uid}`,
  '--clear-groups',
  '--no-new-privs',
  '--bounding-set=-all',
  '--inh-caps=-all',
  '--pdeathsig=SIGKILL',
  '--',
];
