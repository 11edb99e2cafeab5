import type { RouteObject } from 'react-router';

export const traceRoutes: RouteObject[] = [
  { path: '/traces', lazy: () => import('./TracesPage.tsx') },
  { path: '/traces/compare', lazy: () => import('./ComparePage.tsx') },
  { path: '/traces/runs/:runId', lazy: () => import('./RunRedirectPage.tsx') },
  { path: '/traces/:projectId', lazy: () => import('./ProjectPage.tsx') },
  { path: '/traces/:projectId/:traceId', lazy: () => import('./TracePage.tsx') },
];

/** Pages that need no session. */
export const sharedTraceRoutes: RouteObject[] = [
  { path: '/traces/shared/:token', lazy: () => import('./SharedTracePage.tsx') },
  { path: '/public/:token/r', lazy: () => import('./SharedTracePage.tsx') },
];
