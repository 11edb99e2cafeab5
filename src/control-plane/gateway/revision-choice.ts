import { createHash } from 'node:crypto';
import type { GatewayRoute, Target } from './route-repository.ts';

const THREAD = /^\/threads\/([0-9a-fA-F-]{36})(?=[/?]|$)/;
/** A place in nobody's share. */
export const NOT_A_CANARY = 100;
const RANGE = 2 ** 32;

/** Where the thread of a request lies between 0 and 100: always the same place; anywhere without a thread. */
export function placeOf(path: string): number {
  const thread = THREAD.exec(path)?.[1];
  if (!thread) return Math.random() * 100;
  return (createHash('sha256').update(thread.toLowerCase()).digest().readUInt32BE() / RANGE) * 100;
}

/**
 * The revision for a request. Canaries have their share of the threads, and a thread stays with its revision while the
 * shares are as they are; the share of one that is not ready goes to the revision that serves. A caller may name the
 * one it wants, among those that have a share.
 */
export function chooseRevision(
  route: GatewayRoute,
  place: number,
  wanted?: string | string[],
): Target | undefined {
  const named = wanted && place < NOT_A_CANARY && route.find(({ revision_id }) => revision_id === wanted);
  if (named && named.urls.length > 0) return named;
  let upTo = 0;
  for (const target of route) {
    if (target.percent === null) return target;
    const from = upTo;
    upTo += target.percent;
    if (place >= from && place < upTo && target.urls.length > 0) return target;
  }
  return undefined;
}
