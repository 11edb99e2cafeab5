import { BECOME } from '../../../platform/export-script.ts';
import type { MemoryGroup } from './memory-group.ts';
import type { AgentPlaces, Sandbox } from './sandbox.ts';

export interface HostConfinement {
  sandbox: Sandbox;
  /** What is put before it for its network. */
  fence: string[];
  group: MemoryGroup | undefined;
  /** How much memory it may use, in MB. */
  megabytes: number;
  deploymentId: string;
  places: AgentPlaces;
}

/**
 * What is put before the command of a graph host: a limit of its memory, the fence, the sandbox. It starts as root, so
 * the variables of the project come last, through standard input: none of them names a library or a program to root.
 */
export const hostPrefix = ({
  sandbox,
  fence,
  group,
  megabytes,
  deploymentId,
  places,
}: HostConfinement): string[] => [
  ...(sandbox.uid(deploymentId) === undefined ? [] : ['setpriv', '--pdeathsig=KILL', '--']),
  ...(group?.hostPrefix(megabytes) ?? []),
  ...fence,
  ...sandbox.prefix(deploymentId, places),
  '/bin/sh',
  '-c',
  BECOME,
  'slipway-host',
];
