import type { RouteObject } from 'react-router';

export const datasetRoutes: RouteObject[] = [
  { path: '/datasets', lazy: () => import('./DatasetsPage.tsx') },
  { path: '/datasets/:datasetId', lazy: () => import('./DatasetPage.tsx') },
  { path: '/datasets/:datasetId/compare', lazy: () => import('./CompareExperimentsPage.tsx') },
];

/** Pages that need no session. */
export const sharedDatasetRoutes: RouteObject[] = [
  { path: '/public/:token/d', lazy: () => import('./SharedDatasetPage.tsx') },
];
