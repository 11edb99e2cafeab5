import type { ControlPlaneSettings } from '../control-plane-settings.ts';
import type { RevisionRow } from '../revisions/revision.ts';

// Of the memory limit; the rest is code, buffers and the native parts.
const HEAP_SHARE = 0.75;
// An agent hands back what it could not finish before the time of its drain is over.
const HAND_BACK_SECONDS = 10;

type Settings = Pick<
  ControlPlaneSettings,
  'SLIPWAY_AGENT_MEMORY_MB' | 'SLIPWAY_DRAIN_SECONDS' | 'SLIPWAY_ANSWER_SECONDS'
>;
type Limited = Pick<RevisionRow, 'source_config'>;

const resources = ({ source_config }: Limited) =>
  (source_config['resource_spec'] ?? {}) as Record<string, unknown>;

/** Of what answers requests and of what executes runs (contract §2.4): a replica does both, so the larger counts. */
function limitOf(revision: Limited, limit: string, request: string): number | undefined {
  const spec = resources(revision);
  const numbers = ['', 'queue_'].flatMap((prefix) => {
    const [most, usual] = [spec[prefix + limit], spec[prefix + request]];
    if (typeof most === 'number') return most;
    return typeof usual === 'number' ? usual * 2 : [];
  });
  return numbers.length > 0 ? Math.max(...numbers) : undefined;
}

/** MB of memory each replica of the revision may use. */
export const memoryOf = (
  revision: Limited,
  { SLIPWAY_AGENT_MEMORY_MB: byDefault }: Pick<Settings, 'SLIPWAY_AGENT_MEMORY_MB'>,
): number => limitOf(revision, 'memory_limit_mb', 'memory_mb') ?? byDefault;

/** How many cores each replica may use; undefined where nothing limits it. */
export const coresOf = (revision: Limited): number | undefined => limitOf(revision, 'cpu_limit', 'cpu');

// Of large requests and answers, whatever the project needs.
const SERVER_MB = 1_024;

/** MB of memory for the server of a replica, which holds none of the project's code. */
export const serverMemoryOf = (
  revision: Limited,
  settings: Pick<Settings, 'SLIPWAY_AGENT_MEMORY_MB'>,
): number => Math.max(SERVER_MB, memoryOf(revision, settings));

/** How many processes run the project's code: one for each core it may use. */
export const hostsOf = (revision: Limited): number => Math.max(1, Math.ceil(coresOf(revision) ?? 1));

/** The option that keeps an agent's heap within its memory. */
export const heapOption = (megabytes: number): string =>
  `--max-old-space-size=${Math.floor(megabytes * HEAP_SHARE)}`;

/** How long an agent that is told to finish may take, in seconds. */
export const graceSecondsOf = ({ SLIPWAY_DRAIN_SECONDS: drain }: Settings): number =>
  Math.max(1, drain - HAND_BACK_SECONDS);

/** Until when a replaced agent is left to itself, in ms: what it handed back may still be answered there. */
export const drainMsOf = (
  settings: Pick<Settings, 'SLIPWAY_DRAIN_SECONDS' | 'SLIPWAY_ANSWER_SECONDS'>,
): number => (settings.SLIPWAY_DRAIN_SECONDS + settings.SLIPWAY_ANSWER_SECONDS) * 1000;
