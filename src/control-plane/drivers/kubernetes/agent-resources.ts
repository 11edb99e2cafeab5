import type { V1ResourceRequirements } from '@kubernetes/client-node';
import type { ControlPlaneSettings } from '../../control-plane-settings.ts';
import type { RevisionRow } from '../../records/revision.ts';
import { coresOf, memoryOf, serverMemoryOf } from '../../scaling/agent-limits.ts';

/** The part of a resource_spec that Kubernetes schedules by (contract §2.4). */
export interface ScheduledSpec {
  cpu?: number | null;
  memory_mb?: number | null;
}

const DEFAULT_CPU = 0.1;
const DEFAULT_MEMORY_SHARE = 0.5;
const SERVER_CPU = 0.1;
const SERVER_REQUEST_MB = 256;
const THOUSAND = 1_000;

/** Requests and limits of the container with the project. CPU is limited only if the spec says so. */
export function agentResources(
  revision: RevisionRow,
  { cpu, memory_mb }: ScheduledSpec,
  config: ControlPlaneSettings,
): V1ResourceRequirements {
  const limitMb = memoryOf(revision, config);
  const requestMb = Math.min(memory_mb ?? Math.ceil(limitMb * DEFAULT_MEMORY_SHARE), limitMb);
  return resources(revision, { cpu: cpu ?? DEFAULT_CPU, requestMb, limitMb });
}

/** Requests and limits of the server. */
export const serverResources = (
  revision: RevisionRow,
  config: ControlPlaneSettings,
): V1ResourceRequirements =>
  resources(revision, {
    cpu: SERVER_CPU,
    requestMb: SERVER_REQUEST_MB,
    limitMb: serverMemoryOf(revision, config),
  });

function resources(
  revision: RevisionRow,
  { cpu, requestMb, limitMb }: { cpu: number; requestMb: number; limitMb: number },
): V1ResourceRequirements {
  const limit = coresOf(revision);
  return {
    requests: { cpu: cores(Math.min(cpu, limit ?? Infinity)), memory: `${requestMb}Mi` },
    limits: { memory: `${limitMb}Mi`, ...(limit !== undefined && { cpu: cores(limit) }) },
  };
}

const cores = (count: number): string => `${Math.round(count * THOUSAND)}m`;
