import { Navigate, type RouteObject, useParams } from 'react-router';

/** As the field's command line prints a deployment. */
function OfTheField() {
  const { deploymentId } = useParams();
  return <Navigate to={deploymentId ? `/deployments/${deploymentId}` : '/deployments'} replace />;
}

export const deploymentRoutes: RouteObject[] = [
  { path: '/deployments', lazy: () => import('./DeploymentsPage.tsx') },
  { path: '/deployments/new', lazy: () => import('./NewDeploymentPage.tsx') },
  { path: '/deployments/:deploymentId', lazy: () => import('./DeploymentPage.tsx') },
  { path: '/deployments/:deploymentId/edit', lazy: () => import('./EditDeploymentPage.tsx') },
  { path: '/deployments/:deploymentId/revisions/:revisionId', lazy: () => import('./RevisionPage.tsx') },
  { path: '/o/:tenantId/host/deployments/:deploymentId?', element: <OfTheField /> },
];
