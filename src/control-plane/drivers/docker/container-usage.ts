import type { Container, ContainerStats } from 'dockerode';
import type { Used } from '../usage-meter.ts';
import { unlessGone } from './docker-engine.ts';

const NANO = 1e9;
const MB = 1_048_576;
// Engines count files of which there are copies in memory; what the kernel would give back is not used. By version of cgroups.
const GIVEN_BACK = ['inactive_file', 'total_inactive_file'];

/** Of a container that runs; undefined for one that does not. */
export async function usedByContainer(container: Container): Promise<Used | undefined> {
  // One look: by default the engine takes two, a second apart.
  const stats = await unlessGone(container.stats({ stream: false, 'one-shot': true }));
  return stats && readStats(stats);
}

function readStats({ id, cpu_stats, memory_stats }: ContainerStats & { id?: string }): Used | undefined {
  const nanos = cpu_stats.cpu_usage.total_usage;
  // What has ended is told of in zeros.
  if (!id || !nanos || !memory_stats.usage) return undefined;
  const kinds = memory_stats.stats as unknown as Record<string, number> | undefined;
  const givenBack = GIVEN_BACK.map((kind) => kinds?.[kind]).find((bytes) => bytes !== undefined) ?? 0;
  const megabytes = Math.max(0, memory_stats.usage - givenBack) / MB;
  return { program: id, processorSeconds: nanos / NANO, megabytes };
}
