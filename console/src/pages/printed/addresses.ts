import { matchPath } from 'react-router';

/** External URL patterns and the corresponding pages. */
const ADDRESSES: [printed: string, page: string][] = [
  ['/o/:tenantId/host/deployments', '/deployments'],
  ['/o/:tenantId/host/deployments/:deploymentId', '/deployments/:deploymentId'],
  ['/o/:tenantId/projects/p/:projectId', '/traces/:projectId'],
  ['/o/:tenantId/projects/p/:projectId/r/:runId', '/traces/runs/:runId'],
  // `app_path` of runs.
  ['/projects/:projectId/runs/:runId', '/traces/runs/:runId'],
  ['/o/:tenantId/annotation-queues', '/review'],
  ['/o/:tenantId/annotation-queues/:queueId', '/review/:queueId'],
  ['/o/:tenantId/datasets', '/datasets'],
  ['/o/:tenantId/datasets/:datasetId', '/datasets/:datasetId'],
  ['/o/:tenantId/datasets/:datasetId/compare', '/datasets/:datasetId/compare'],
  ['/o/:tenantId/datasets/:datasetId/e/:exampleId', '/datasets/:datasetId?example=:exampleId'],
  ['/datasets/:datasetId/e/:exampleId', '/datasets/:datasetId?example=:exampleId'],
];

/** The page, and the workspace if named. Undefined for unknown URLs. */
export function meantBy(pathname: string): { page: string; tenantId: string | undefined } | undefined {
  for (const [printed, page] of ADDRESSES) {
    const params = matchPath(printed, pathname)?.params as Record<string, string> | undefined;
    if (params)
      return {
        page: page.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? '')),
        tenantId: params['tenantId'],
      };
  }
  return undefined;
}
