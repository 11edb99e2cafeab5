import { createHash } from 'node:crypto';

// Far above the accounts of any machine.
export const FIRST_UID = 2_000_000;
const UIDS = 1 << 24;

/** The users of all agents. */
export const AGENT_UIDS: [first: number, last: number] = [FIRST_UID, FIRST_UID + UIDS - 1];

/** The user a deployment's agents run as: the same on every host, so that files of a deployment stay its own. */
export const uidOf = (deploymentId: string): number =>
  FIRST_UID + (createHash('sha256').update(deploymentId).digest().readUInt32BE() % UIDS);

/** What runs a command of root as another user, who can gain no rights. */
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
