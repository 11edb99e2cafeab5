import { BECOME } from '../../../platform/export-script.ts';
import type { MemoryGroup } from './memory-group.ts';
import type { AgentFolders, Sandbox } from './sandbox.ts';

export interface HostConfinement {
  sandbox: Sandbox;
  /** Prefix of the network fence. */
  fence: string[];
  group: MemoryGroup | undefined;
  /** Memory limit in MB. */
  megabytes: number;
  deploymentId: string;
  folders: AgentFolders;
}

/**
 * Prefix of a graph host's command: memory limit, fence, sandbox. It starts as root, so the project's variables are set
 * last, from standard input: none of them can make root load a library or run a program.
 */
export const hostPrefix = ({
  sandbox,
  fence,
  group,
  megabytes,
  deploymentId,
  folders,
}: HostConfinement): string[] => [
  ...(sandbox.uid(deploymentId) === undefined ? [] : ['setpriv', '--pdeathsig=KILL', '--']),
  ...(group?.hostPrefix(megabytes) ?? []),
  ...fence,
  ...sandbox.prefix(deploymentId, folders),
  '/bin/sh',
  '-c',
  BECOME,
  'slipway-host',
];
