import { createHash } from 'node:crypto';

// Far above a machine's accounts and the agents' uids.
const FIRST_UID = 1_000_000_000;
const UID_BYTES = 3;

/** The uids of all builds. */
export const BUILD_UIDS: [first: number, last: number] = [FIRST_UID, FIRST_UID + 2 ** (8 * UID_BYTES) - 1];

/** The uid of a deployment's builds: stable, so that builds share a cache. */
export const buildUidOf = (deploymentId: string): number =>
  FIRST_UID + createHash('sha256').update(deploymentId).digest().readUIntBE(0, UID_BYTES);
