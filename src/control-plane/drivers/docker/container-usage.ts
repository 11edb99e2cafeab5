import type { Container, ContainerStats } from 'dockerode';
import type { Used } from '../usage-meter.ts';
import { unlessGone } from './docker-engine.ts';

const NANO = 1e9;
const MB = 1_048_576;
// Engines count cached files too, which the kernel gives back under pressure. By version of cgroups.
const CACHED = ['inactive_file', 'total_inactive_file'];

/** The sum over containers of a replica; undefined unless all of them run. */
export async function usedByContainers(containers: Container[]): Promise<Used | undefined> {
  const seen = await Promise.all(containers.map((container) => usedByContainer(container)));
  return seen.reduce(
    (sum, one) =>
      sum &&
      one && {
        program: `${sum.program}+${one.program}`,
        processorSeconds: sum.processorSeconds + one.processorSeconds,
        megabytes: sum.megabytes + one.megabytes,
      },
  );
}

async function usedByContainer(container: Container): Promise<Used | undefined> {
  // One sample: by default the engine takes two, a second apart.
  const stats = await unlessGone(container.stats({ stream: false, 'one-shot': true }));
  return stats && readStats(stats);
}

function readStats({ id, cpu_stats, memory_stats }: ContainerStats & { id?: string }): Used | undefined {
  const nanos = cpu_stats.cpu_usage.total_usage;
  // The engine reports zeros for a container that has ended.
  if (!id || !nanos || !memory_stats.usage) return undefined;
  const kinds = memory_stats.stats as unknown as Record<string, number> | undefined;
  const cached = CACHED.map((kind) => kinds?.[kind]).find((bytes) => bytes !== undefined) ?? 0;
  const megabytes = Math.max(0, memory_stats.usage - cached) / MB;
  return { program: id, processorSeconds: nanos / NANO, megabytes };
}
