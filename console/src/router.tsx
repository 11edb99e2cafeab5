import { createBrowserRouter, Navigate, type RouteObject } from 'react-router';
import { NotFound, PageError } from './parts/PageError.tsx';
import { RequireSession } from './parts/RequireSession.tsx';
import { cronRoutes } from './pages/crons/routes.tsx';
import { dashboardRoutes } from './pages/dashboards/routes.tsx';
import { datasetRoutes, sharedDatasetRoutes } from './pages/datasets/routes.tsx';
import { deploymentRoutes } from './pages/deployments/routes.tsx';
import { playgroundRoutes } from './pages/playground/routes.tsx';
import { printedRoutes } from './pages/printed/routes.tsx';
import { promptRoutes } from './pages/prompts/routes.tsx';
import { reviewRoutes } from './pages/review/routes.tsx';
import { storeRoutes } from './pages/store/routes.tsx';
import { threadRoutes } from './pages/threads/routes.tsx';
import { sharedTraceRoutes, traceRoutes } from './pages/traces/routes.tsx';
import { workspaceRoutes } from './pages/workspace/routes.tsx';

/** Each area declares its lazily loaded pages. */
const areas: RouteObject[] = [
  ...deploymentRoutes,
  ...playgroundRoutes,
  ...threadRoutes,
  ...cronRoutes,
  ...storeRoutes,
  ...traceRoutes,
  ...dashboardRoutes,
  ...datasetRoutes,
  ...promptRoutes,
  ...reviewRoutes,
  ...printedRoutes,
  ...workspaceRoutes,
];

export const router = createBrowserRouter([
  { path: '/sign-in', lazy: () => import('./pages/sign-in/SignInPage.tsx') },
  ...sharedTraceRoutes,
  ...sharedDatasetRoutes,
  {
    element: <RequireSession />,
    children: [
      {
        lazy: () => import('./parts/AppShell.tsx'),
        children: [
          {
            errorElement: <PageError />,
            children: [
              { index: true, element: <Navigate to="/deployments" replace /> },
              ...areas,
              { path: '*', element: <NotFound /> },
            ],
          },
        ],
      },
    ],
  },
]);
