import type { RouteObject } from 'react-router';

export const deploymentRoutes: RouteObject[] = [
  { path: '/deployments', lazy: () => import('./DeploymentsPage.tsx') },
  { path: '/deployments/new', lazy: () => import('./NewDeploymentPage.tsx') },
  { path: '/deployments/:deploymentId', lazy: () => import('./DeploymentPage.tsx') },
  { path: '/deployments/:deploymentId/edit', lazy: () => import('./EditDeploymentPage.tsx') },
  { path: '/deployments/:deploymentId/revisions/:revisionId', lazy: () => import('./RevisionPage.tsx') },
];
