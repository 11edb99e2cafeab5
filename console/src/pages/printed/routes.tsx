import type { RouteObject } from 'react-router';

const page = () => import('./RedirectPage.tsx');

/** Addresses as the field's clients print them, where the page has another one here. */
export const printedRoutes: RouteObject[] = ['/o/*', '/projects/*', '/datasets/:datasetId/e/:exampleId'].map(
  (path) => ({ path, lazy: page }),
);
