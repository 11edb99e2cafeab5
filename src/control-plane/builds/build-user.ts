import { createHash } from 'node:crypto';

// Far above the accounts of any machine, and above those of agents.
const FIRST_UID = 1_000_000_000;
const UID_BYTES = 3;

/** The users of all builds. */
export const BUILD_UIDS: [first: number, last: number] = [FIRST_UID, FIRST_UID + 2 ** (8 * UID_BYTES) - 1];

/** The user of a deployment's builds: always the same, so that a build can use what an earlier one fetched. */
export const buildUidOf = (deploymentId: string): number =>
  FIRST_UID + createHash('sha256').update(deploymentId).digest().readUIntBE(0, UID_BYTES);
