import type { ControlPlaneSettings } from '../../control-plane-settings.ts';
import type { RevisionRow } from '../../records/revision.ts';
import { memoryOf, serverMemoryOf } from '../../scaling/agent-limits.ts';
import type { Part } from './object-names.ts';
import type { ContainerEnd } from './pod-report.ts';

/**
 * The memory limit in MB that a container reached, if it ran out of memory. A server's log has the output of its graph
 * hosts: when they run out of heap, it is the project's limit.
 */
export const exhaustedMemory = (
  part: Part | undefined,
  { ranOut }: Pick<ContainerEnd, 'ranOut'>,
  revision: RevisionRow,
  config: ControlPlaneSettings,
): number => (part === 'server' && ranOut ? serverMemoryOf : memoryOf)(revision, config);
