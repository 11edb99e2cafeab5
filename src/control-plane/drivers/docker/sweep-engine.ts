import type Docker from 'dockerode';
import type { Queryable } from '../../../platform/db/database.ts';
import { findInstance } from '../instance-repository.ts';
import { unlessGone } from './docker-engine.ts';
import { removeHostsNetwork } from './hosts-network.ts';
import { LABEL } from './replica-names.ts';

/**
 * Removes containers and volumes that no row knows: their worker was given up, or their deployment is gone. Returns how
 * many replicas that were.
 */
export async function sweepEngine(db: Queryable, docker: Docker, platform: string): Promise<number> {
  const filters = { label: [`${LABEL.platform}=${platform}`] };
  const removed = new Set<string>();
  const isKnown = async (labels: Record<string, string>): Promise<boolean> => {
    const key = { revision_id: labels[LABEL.revision]!, replica: Number(labels[LABEL.replica]) };
    if (await findInstance(db, key)) return true;
    removed.add(`${key.revision_id}/${key.replica}`);
    return false;
  };
  const containers = await docker.listContainers({ all: true, filters });
  for (const { Id, Labels } of containers)
    if (!(await isKnown(Labels))) await unlessGone(docker.getContainer(Id).remove({ force: true, v: true }));
  const { Volumes } = await docker.listVolumes({ filters });
  for (const { Name, Labels } of Volumes)
    if (!(await isKnown(Labels))) await unlessGone(docker.getVolume(Name).remove());
  if (containers.length === 0) await removeHostsNetwork(docker, platform);
  return removed.size;
}
