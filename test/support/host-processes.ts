import { readFileSync } from 'node:fs';
import type { AgentServer } from './agent-server.ts';

/** Process ids of the graph hosts that a process has started. */
export function hostsOf({ child: { pid } }: Pick<AgentServer, 'child'>): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children
    .trim()
    .split(' ')
    .filter(Boolean)
    .map(Number)
    .filter((child) => /graph[-_]host/.test(readFileSync(`/proc/${child}/cmdline`, 'utf8')));
}
