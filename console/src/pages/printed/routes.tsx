import type { RouteObject } from 'react-router';

/** URLs printed by SDKs whose pages have other paths here. */
export const printedRoutes: RouteObject[] = [
  { path: '/o/*', lazy: () => import('./RedirectPage.tsx') },
  { path: '/projects/*', lazy: () => import('./RedirectPage.tsx') },
  { path: '/datasets/:datasetId/e/:exampleId', lazy: () => import('./RedirectPage.tsx') },
];
