import type { RouteObject } from 'react-router';

export const workspaceRoutes: RouteObject[] = [
  { path: '/workspace', lazy: () => import('./WorkspacePage.tsx') },
];
