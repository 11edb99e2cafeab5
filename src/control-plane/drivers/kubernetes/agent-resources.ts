import type { V1ResourceRequirements } from '@kubernetes/client-node';
import type { ControlPlaneSettings } from '../../control-plane-settings.ts';
import type { RevisionRow } from '../../revisions/revision.ts';
import { coresOf, memoryOf } from '../agent-limits.ts';

/** The part of a resource_spec that Kubernetes schedules by (contract §2.4). */
export interface ScheduledSpec {
  cpu?: number | null;
  memory_mb?: number | null;
}

const DEFAULT_CPU = 0.1;
const DEFAULT_MEMORY_SHARE = 0.5;
const THOUSAND = 1_000;

/** What the agent's container asks for and may use at most. Processor time is limited where the spec names it. */
export function agentResources(
  revision: RevisionRow,
  { cpu, memory_mb }: ScheduledSpec,
  config: ControlPlaneSettings,
): V1ResourceRequirements {
  const limitMb = memoryOf(revision, config);
  const requestMb = Math.min(memory_mb ?? Math.ceil(limitMb * DEFAULT_MEMORY_SHARE), limitMb);
  const cpuLimit = coresOf(revision);
  return {
    requests: { cpu: cores(Math.min(cpu ?? DEFAULT_CPU, cpuLimit ?? Infinity)), memory: `${requestMb}Mi` },
    limits: { memory: `${limitMb}Mi`, ...(cpuLimit !== undefined && { cpu: cores(cpuLimit) }) },
  };
}

const cores = (count: number): string => `${Math.round(count * THOUSAND)}m`;
