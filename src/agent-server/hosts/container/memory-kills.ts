import { readFileSync } from 'node:fs';

// By version of control groups, as a container sees its own.
const COUNTERS = ['/sys/fs/cgroup/memory.events', '/sys/fs/cgroup/memory/memory.oom_control'];

/** How many processes of this container the system has killed for memory; 0 if it doesn't say. */
export function countMemoryKills(): number {
  for (const file of COUNTERS) {
    try {
      const [, count] = /^oom_kill (\d+)$/m.exec(readFileSync(file, 'utf8')) ?? [];
      if (count !== undefined) return Number(count);
    } catch {
      // Another version.
    }
  }
  return 0;
}
