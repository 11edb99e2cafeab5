import type { RouteObject } from 'react-router';

/** Addresses as the field's clients print them, where the page has another one here. */
export const printedRoutes: RouteObject[] = [
  { path: '/o/*', lazy: () => import('./RedirectPage.tsx') },
  { path: '/projects/*', lazy: () => import('./RedirectPage.tsx') },
  { path: '/datasets/:datasetId/e/:exampleId', lazy: () => import('./RedirectPage.tsx') },
];
