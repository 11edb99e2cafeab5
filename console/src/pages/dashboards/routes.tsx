import type { RouteObject } from 'react-router';

export const dashboardRoutes: RouteObject[] = [
  { path: '/dashboards', lazy: () => import('./DashboardsPage.tsx') },
];
