import type { RouteObject } from 'react-router';

export const reviewRoutes: RouteObject[] = [
  { path: '/review', lazy: () => import('./QueuesPage.tsx') },
  { path: '/review/:queueId', lazy: () => import('./QueuePage.tsx') },
];
