import type { RouteObject } from 'react-router';

export const playgroundRoutes: RouteObject[] = [
  { path: '/playground', lazy: () => import('./PlaygroundPage.tsx') },
  { path: '/playground/:deploymentId', lazy: () => import('./AssistantPage.tsx') },
];
