import { queryOptions } from '@tanstack/react-query';
import type {
  Deployment,
  DeploymentBody,
  DeploymentHealth,
  Page,
  Revision,
  Timeline,
  Traffic,
} from './control-plane-records.ts';
import type { Answers } from './control-plane-answers.ts';
import { ApiError } from './api-error.ts';
import { get, patch, post, put, remove } from './http.ts';

const PAGE = 100;
const EVERY_MS = 4_000;
const LEAVING_EVERY_MS = 1_000;
const deploymentPath = (id: string): string => `/v2/deployments/${id}`;
const revisionPath = (deploymentId: string, id: string): string =>
  `${deploymentPath(deploymentId)}/revisions/${id}`;

/** Reads a list across all pages. */
export async function readAll<Record>(path: string, signal: AbortSignal): Promise<Record[]> {
  const all: Record[] = [];
  for (;;) {
    const { resources } = await get<Page<Record>>(path, {
      query: { limit: PAGE, offset: all.length },
      signal,
    });
    all.push(...resources);
    if (resources.length < PAGE) return all;
  }
}

/** Common key of all queries about a deployment, for invalidation. */
export const deploymentKey = (id: string): string[] => ['deployments', id];

export const deploymentsQuery = queryOptions({
  queryKey: ['deployments'],
  queryFn: ({ signal }) => readAll<Deployment>('/v2/deployments', signal),
  refetchInterval: EVERY_MS,
});

export const healthQuery = queryOptions({
  queryKey: ['deployments', 'health'],
  queryFn: ({ signal }) => readAll<DeploymentHealth>('/v2/deployment-health', signal),
  refetchInterval: EVERY_MS,
});

export const deploymentQuery = (id: string) =>
  queryOptions({
    queryKey: [...deploymentKey(id), 'record'],
    queryFn: ({ signal }) => get<Deployment>(deploymentPath(id), { signal }),
    // Deployments being deleted are polled until they are gone.
    refetchInterval: ({ state: { data, error } }) =>
      error instanceof ApiError && error.status === 404
        ? false
        : data?.status.endsWith('DELETE')
          ? LEAVING_EVERY_MS
          : EVERY_MS,
  });

export const deploymentHealthQuery = (id: string) =>
  queryOptions({
    queryKey: [...deploymentKey(id), 'health'],
    queryFn: async ({ signal }) => {
      const query = { deployment_ids: id };
      const { resources } = await get<Page<DeploymentHealth>>('/v2/deployment-health', { query, signal });
      return resources[0] ?? null;
    },
    refetchInterval: EVERY_MS,
  });

export const revisionsQuery = (deploymentId: string) =>
  queryOptions({
    queryKey: [...deploymentKey(deploymentId), 'revisions'],
    queryFn: async ({ signal }) => {
      const path = `${deploymentPath(deploymentId)}/revisions`;
      return (await get<Page<Revision>>(path, { query: { limit: PAGE }, signal })).resources;
    },
    refetchInterval: EVERY_MS,
  });

export const revisionQuery = (deploymentId: string, id: string) =>
  queryOptions({
    queryKey: [...deploymentKey(deploymentId), 'revisions', id],
    queryFn: ({ signal }) => get<Revision>(revisionPath(deploymentId, id), { signal }),
    refetchInterval: EVERY_MS / 2,
  });

export const timelineQuery = (deploymentId: string, id: string) =>
  queryOptions({
    queryKey: [...deploymentKey(deploymentId), 'revisions', id, 'timeline'],
    queryFn: ({ signal }) => get<Timeline>(`${revisionPath(deploymentId, id)}/timeline`, { signal }),
    refetchInterval: EVERY_MS / 2,
  });

export const trafficQuery = (deploymentId: string) =>
  queryOptions({
    queryKey: [...deploymentKey(deploymentId), 'traffic'],
    queryFn: ({ signal }) => get<Traffic>(`${deploymentPath(deploymentId)}/traffic`, { signal }),
    refetchInterval: EVERY_MS,
  });

export const createDeployment = (body: DeploymentBody): Promise<Deployment> => post('/v2/deployments', body);
export const patchDeployment = (id: string, body: DeploymentBody): Promise<Deployment> =>
  patch(deploymentPath(id), body);
export const deleteDeployment = (id: string): Promise<void> => remove(deploymentPath(id));
export const createRevision = (id: string, body: object): Promise<Revision> =>
  post(`${deploymentPath(id)}/revisions`, body);
export const putTraffic = (id: string, canaries: Traffic['canaries']): Promise<Traffic> =>
  put(`${deploymentPath(id)}/traffic`, { canaries });
export const steerCanary = (deploymentId: string, id: string, action: string): Promise<unknown> =>
  post(`${revisionPath(deploymentId, id)}/canary`, { action });

export const createPushToken = (id: string): Promise<Answers['createPushToken']> =>
  post(`${deploymentPath(id)}/push-token`, undefined);

/** Actions on a revision that are a single request. */
export type RevisionAction = 'interrupt' | 'redeploy' | 'approve';

export const actOnRevision = (deploymentId: string, id: string, action: RevisionAction): Promise<unknown> =>
  post(`${revisionPath(deploymentId, id)}/${action}`, undefined);

/** Uploads a project archive and returns the reference to use in a revision. */
export async function uploadArchive(deploymentId: string, archive: File): Promise<string> {
  const { upload_url, object_path, upload_headers } = await post<Answers['createUploadUrl']>(
    `${deploymentPath(deploymentId)}/upload-url`,
    { supports_upload_headers: true },
  );
  // Uses only the path of the upload URL, because its origin may not be the one of this page.
  const { pathname } = new URL(upload_url);
  const answer = await fetch(pathname, { method: 'PUT', headers: upload_headers, body: archive });
  if (!answer.ok) throw new ApiError(answer.status, `Upload failed: ${await answer.text()}`);
  return object_path;
}
