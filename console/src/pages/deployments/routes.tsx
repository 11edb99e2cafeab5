import type { RouteObject } from 'react-router';

export const deploymentRoutes: RouteObject[] = [
  { path: '/deployments', lazy: () => import('./DeploymentsPage.tsx') },
];
