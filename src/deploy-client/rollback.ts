import { Misused } from './outcome.ts';
import type { PlatformApi } from './platform-api.ts';
import { findCanary } from './canary.ts';
import { type Deployment, deploymentPath, type Revision, revisionPath } from './records.ts';

const PAGE = 100;

/** The revision that served before the current one. Throws Misused if there is none. */
export async function findPrevious(
  api: PlatformApi,
  { id, name, active_revision_id }: Deployment,
): Promise<string> {
  const { resources } = await api.get<{ resources: Revision[] }>(
    `${deploymentPath(id)}/revisions?status=DEPLOYED,UNKNOWN&limit=${PAGE}`,
  );
  const active = resources.findIndex((revision) => revision.id === active_revision_id);
  // Canaries that did not take over never served.
  for (const { id: revision_id } of active < 0 ? [] : resources.slice(active + 1)) {
    const canary = await findCanary(api, { deployment_id: id, revision_id });
    if (!canary || canary.state === 'promoted') return revision_id;
  }
  throw new Misused(`${name} has no previous revision`);
}

/** Creates a revision with another one's artifact and environment, without a build. Returns its id. */
export async function redeploy(api: PlatformApi, deploymentId: string, revisionId: string): Promise<string> {
  const { latest_revision_id } = await api.post<Deployment>(
    `${revisionPath(deploymentId, revisionId)}/redeploy`,
  );
  return latest_revision_id!;
}

interface Share {
  revision_id: string;
  percent: number;
}

/** Ends a canary; the serving revision gets its share of the traffic. */
export async function endTrial(api: PlatformApi, deploymentId: string, revisionId: string): Promise<void> {
  const path = `${deploymentPath(deploymentId)}/traffic`;
  const { canaries } = await api.get<{ canaries: Share[] }>(path);
  const rest = canaries.filter(({ revision_id }) => revision_id !== revisionId);
  if (rest.length < canaries.length) await api.put(path, { canaries: rest });
}
