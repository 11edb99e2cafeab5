import type { RouteObject } from 'react-router';

const page = () => import('./PromptPage.tsx');

/** A prompt of one's own is under `/prompts`, and anyone's under `/hub`, as the field's clients print them. */
export const promptRoutes: RouteObject[] = [
  { path: '/prompts', lazy: () => import('./PromptsPage.tsx') },
  { path: '/prompts/:name/:commit?', lazy: page },
  { path: '/hub/:owner/:name/:commit?', lazy: page },
  // What is not a prompt: agents and skills.
  { path: '/context/:name/:commit?', lazy: page },
];
