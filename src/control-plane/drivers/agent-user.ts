import { createHash } from 'node:crypto';

// Far above the accounts of any machine.
export const FIRST_UID = 2_000_000;
const UIDS = 1 << 24;

/** The user a deployment's agents run as: the same on every host, so that files of a deployment stay its own. */
export const uidOf = (deploymentId: string): number =>
  FIRST_UID + (createHash('sha256').update(deploymentId).digest().readUInt32BE() % UIDS);
