import type { RouteObject } from 'react-router';

export const threadRoutes: RouteObject[] = [
  { path: '/threads', lazy: () => import('./ThreadsPage.tsx') },
  { path: '/threads/:deploymentId/:threadId', lazy: () => import('./ThreadPage.tsx') },
  { path: '/threads/:deploymentId/:threadId/runs/:runId', lazy: () => import('./RunPage.tsx') },
];
