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

/** MB of memory each replica of the revision may use. */
export function memoryOf(revision: Limited, { SLIPWAY_AGENT_MEMORY_MB: byDefault }: Settings): number {
  const { memory_limit_mb, memory_mb } = resources(revision);
  if (typeof memory_limit_mb === 'number') return memory_limit_mb;
  return typeof memory_mb === 'number' ? memory_mb * 2 : byDefault;
}

/** How many cores each replica may use; undefined where nothing limits it. */
export function coresOf(revision: Limited): number | undefined {
  const { cpu_limit, cpu } = resources(revision);
  if (typeof cpu_limit === 'number') return cpu_limit;
  return typeof cpu === 'number' ? cpu * 2 : undefined;
}

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
