import { setTimeout } from 'node:timers/promises';
import type { Outcome } from './outcome.ts';
import { type PlatformApi, Refused } from './platform-api.ts';
import { deploymentPath, revisionPath } from './records.ts';

/** A canary revision, with the fields that the client reads. */
export interface Canary {
  state: 'watched' | 'promoted' | 'aborted';
  reason: string | null;
}

interface Named {
  deployment_id: string;
  revision_id: string;
}

const POLL_MS = 200;
const NOT_FOUND = 404;

const canaryPath = ({ deployment_id, revision_id }: Named): string =>
  `${revisionPath(deployment_id, revision_id)}/canary`;

/** Undefined if the revision never was a canary. */
export async function findCanary(api: PlatformApi, named: Named): Promise<Canary | undefined> {
  try {
    return await api.get<Canary>(canaryPath(named));
  } catch (error) {
    if (error instanceof Refused && error.status === NOT_FOUND) return undefined;
    throw error;
  }
}

export const isWatched = async (api: PlatformApi, named: Named): Promise<boolean> =>
  (await findCanary(api, named))?.state === 'watched';

/** Active canaries of a deployment, with or without a share of the threads. */
export async function listWatched(api: PlatformApi, deploymentId: string): Promise<string[]> {
  const { watched } = await api.get<{ watched: string[] }>(`${deploymentPath(deploymentId)}/traffic`);
  return watched;
}

export async function steerCanary(
  api: PlatformApi,
  named: Named,
  action: 'promote' | 'abort' | 'approve',
): Promise<void> {
  await api.post(canaryPath(named), { action });
}

/** Watches a canary until it ends or the deadline. Returns whether it ended as `wished`, and why. */
export async function canaryEnd(
  api: PlatformApi,
  named: Named,
  { wished, deadlineMs }: { wished: Canary['state']; deadlineMs: number },
): Promise<{ outcome: Outcome; reason: string | null }> {
  for (const until = Date.now() + deadlineMs; ; await setTimeout(POLL_MS)) {
    const { state, reason } = (await findCanary(api, named))!;
    if (state !== 'watched') return { outcome: state === wished ? 'deployed' : 'failed', reason };
    if (Date.now() > until) return { outcome: 'deadline', reason };
  }
}
