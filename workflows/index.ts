export { sweepRuns } from './sweep-runs.ts';
export { thread } from './thread.ts';
