import { createHmac } from 'node:crypto';
import type { GatewayRoute, Target } from './route-repository.ts';

const THREAD = /^\/threads\/([0-9a-fA-F-]{36})(?=[/?]|$)/;
/** A bucket outside every canary's share. */
export const NO_CANARY = 100;
const RANGE = 2 ** 32;

/** The bucket of a request's thread, from 0 to 100: stable per thread and salt, random without a thread. */
export function bucketOf(path: string, salt: Buffer): number {
  const thread = THREAD.exec(path)?.[1];
  if (!thread) return Math.random() * 100;
  return (createHmac('sha256', salt).update(thread.toLowerCase()).digest().readUInt32BE() / RANGE) * 100;
}

/**
 * Chooses the revision for a request. Canaries get their share of the threads, and a thread keeps its revision while
 * shares stay the same. An unready canary's share goes to the active revision. Callers may name a revision that has a
 * share.
 */
export function chooseRevision(
  route: GatewayRoute,
  bucket: number,
  wanted?: string | string[],
): Target | undefined {
  const named = wanted && bucket < NO_CANARY && route.find(({ revision_id }) => revision_id === wanted);
  if (named && named.urls.length > 0) return named;
  let upTo = 0;
  for (const target of route) {
    if (target.percent === null) return target;
    const from = upTo;
    upTo += target.percent;
    if (bucket >= from && bucket < upTo && target.urls.length > 0) return target;
  }
  return undefined;
}
