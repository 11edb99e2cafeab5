import type { V1Pod } from '@kubernetes/client-node';
import type { Queryable } from '../../../platform/db/database.ts';
import { AGENT } from './agent-pod.ts';
import { type Part, partOf, SPLIT, WHOLE } from './object-names.ts';

// `slipway host` passes the second probe with the first, unless it lost its server in between.
const NO_HOST_MS = 10_000;

/** The image serves the API itself instead of connecting to a server. */
export class NoGraphHost extends Error {
  override readonly name = 'NoGraphHost';
}

/** Notices an image that serves the API itself. */
export class ServingImageWatch {
  #since: number | undefined;

  /** Throws NoGraphHost once a host's container has answered as an API for a while, and its server has not failed. */
  look(pods: V1Pod[]): void {
    const containers = pods.map((pod) => ({
      part: partOf(pod),
      status: pod.status?.containerStatuses?.find(({ name }) => name === AGENT),
    }));
    const isServing = containers.some(
      ({ part, status }) => part === 'host' && status?.started && !status.ready && status.state?.running,
    );
    const servers = containers.filter(({ part }) => part === 'server');
    const isWaitedFor =
      servers.length > 0 &&
      servers.every(({ status }) => status?.state?.running && status.restartCount === 0 && !status.started);
    if (!isServing || !isWaitedFor) this.#since = undefined;
    else this.#since ??= Date.now();
    if (this.#since !== undefined && Date.now() - this.#since > NO_HOST_MS)
      throw new NoGraphHost('the image serves the API itself');
  }
}

/** The parts of a revision. Whether an image serves the API itself is known only after its first start. */
export async function partsOf(db: Queryable, revisionId: string): Promise<Part[]> {
  const { rows } = await db.query<{ serves_itself: boolean }>(
    'select serves_itself from control_plane.revision where id = $1',
    [revisionId],
  );
  return rows[0]?.serves_itself ? WHOLE : SPLIT;
}

export async function noteServingImage(db: Queryable, revisionId: string): Promise<void> {
  await db.query('update control_plane.revision set serves_itself = true where id = $1', [revisionId]);
}
