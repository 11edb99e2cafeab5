import type { ControlPlaneSettings } from '../control-plane-settings.ts';
import type { RevisionRow } from '../records/revision.ts';

// Share of the memory limit; the rest is for code, buffers and native memory.
const HEAP_SHARE = 0.75;
// Before its drain time is over, an agent hands back the runs it can't finish.
const HAND_BACK_SECONDS = 10;

type MemorySettings = Pick<ControlPlaneSettings, 'SLIPWAY_AGENT_MEMORY_MB'>;
type DrainSettings = Pick<ControlPlaneSettings, 'SLIPWAY_DRAIN_SECONDS' | 'SLIPWAY_ANSWER_SECONDS'>;
type Limited = Pick<RevisionRow, 'source_config'>;

const resources = ({ source_config }: Limited) =>
  (source_config['resource_spec'] ?? {}) as Record<string, unknown>;

/** The larger of the API's and the workers' limit (contract §2.4), because a replica does both. */
function limitOf(revision: Limited, limit: string, request: string): number | undefined {
  const spec = resources(revision);
  const numbers = ['', 'queue_'].flatMap((prefix) => {
    const [most, usual] = [spec[prefix + limit], spec[prefix + request]];
    if (typeof most === 'number') return most;
    return typeof usual === 'number' ? usual * 2 : [];
  });
  return numbers.length > 0 ? Math.max(...numbers) : undefined;
}

/** Memory limit of each replica, in MB. */
export const memoryOf = (revision: Limited, { SLIPWAY_AGENT_MEMORY_MB: byDefault }: MemorySettings): number =>
  limitOf(revision, 'memory_limit_mb', 'memory_mb') ?? byDefault;

/** CPU limit of each replica, in cores; undefined if there is none. */
export const coresOf = (revision: Limited): number | undefined => limitOf(revision, 'cpu_limit', 'cpu');

// Enough for large requests and responses, independent of the project.
const SERVER_MB = 1_024;

/** Memory limit of a replica's server, which runs none of the project's code, in MB. */
export const serverMemoryOf = (revision: Limited, settings: MemorySettings): number =>
  Math.max(SERVER_MB, memoryOf(revision, settings));

/** Number of processes that run the project's code: one per core. */
export const hostsOf = (revision: Limited): number => Math.max(1, Math.ceil(coresOf(revision) ?? 1));

/** Node option that limits an agent's heap according to its memory. */
export const heapOption = (megabytes: number): string =>
  `--max-old-space-size=${Math.floor(megabytes * HEAP_SHARE)}`;

// For `slipway host`, which starts the processes and runs none of the project's code.
const LAUNCHER_MB = 64;

/** Heap option of each graph host in a container of their own. */
export const hostHeapOption = (revision: Limited, settings: MemorySettings): string =>
  heapOption(Math.max(LAUNCHER_MB, memoryOf(revision, settings) - LAUNCHER_MB) / hostsOf(revision));

/** Time an agent has to shut down, in seconds. */
export const graceSecondsOf = ({ SLIPWAY_DRAIN_SECONDS: drain }: DrainSettings): number =>
  Math.max(1, drain - HAND_BACK_SECONDS);

/** How long a replaced agent is left running, in ms: it may still answer requests for runs it handed back. */
export const drainMsOf = (settings: DrainSettings): number =>
  (settings.SLIPWAY_DRAIN_SECONDS + settings.SLIPWAY_ANSWER_SECONDS) * 1000;
