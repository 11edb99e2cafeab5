import type { RouteObject } from 'react-router';

export const traceRoutes: RouteObject[] = [
  { path: '/traces', lazy: () => import('./TracesPage.tsx') },
  { path: '/traces/:projectId', lazy: () => import('./ProjectPage.tsx') },
];
