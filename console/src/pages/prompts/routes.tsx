import type { RouteObject } from 'react-router';

const page = () => import('./PromptPage.tsx');

/** Own prompts are under `/prompts`, all others under `/hub`, as SDKs print them. */
export const promptRoutes: RouteObject[] = [
  { path: '/prompts', lazy: () => import('./PromptsPage.tsx') },
  { path: '/prompts/:name/:commit?', lazy: page },
  { path: '/hub/:owner/:name/:commit?', lazy: page },
  // Agents and skills.
  { path: '/context/:name/:commit?', lazy: page },
];
