import type { RouteObject } from 'react-router';

export const cronRoutes: RouteObject[] = [{ path: '/crons', lazy: () => import('./CronsPage.tsx') }];
