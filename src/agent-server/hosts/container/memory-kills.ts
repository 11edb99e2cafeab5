import { readFileSync } from 'node:fs';

// Of cgroups v2 and v1, as a container sees its own.
const COUNTERS = ['/sys/fs/cgroup/memory.events', '/sys/fs/cgroup/memory/memory.oom_control'];

/** Number of processes of this container that ran out of memory and were killed; 0 if unknown. */
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
