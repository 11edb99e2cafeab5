import type { RouteObject } from 'react-router';

export const storeRoutes: RouteObject[] = [{ path: '/store', lazy: () => import('./StorePage.tsx') }];
