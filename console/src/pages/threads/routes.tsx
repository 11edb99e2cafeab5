import type { RouteObject } from 'react-router';

export const threadRoutes: RouteObject[] = [{ path: '/threads', lazy: () => import('./ThreadsPage.tsx') }];
