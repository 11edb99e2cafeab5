import { Navigate, type RouteObject } from 'react-router';

export const workspaceRoutes: RouteObject[] = [
  {
    path: '/workspace',
    lazy: () => import('./WorkspacePage.tsx'),
    children: [
      { index: true, element: <Navigate to="/workspace/keys" replace /> },
      { path: 'keys', lazy: () => import('./KeysPage.tsx') },
      { path: 'members', lazy: () => import('./MembersPage.tsx') },
      { path: 'integrations', lazy: () => import('./IntegrationsPage.tsx') },
      { path: 'limits', lazy: () => import('./LimitsPage.tsx') },
      { path: 'retention', lazy: () => import('./RetentionPage.tsx') },
      { path: 'prices', lazy: () => import('./PricesPage.tsx') },
      { path: 'audit', lazy: () => import('./AuditPage.tsx') },
      { path: 'appearance', lazy: () => import('./AppearancePage.tsx') },
    ],
  },
];
