import { type Ending, endingOf, READ_LINES } from '../ending.ts';
import { type InstanceFolder, readExitCode } from './instance-folder.ts';
import type { MemoryGroup } from './memory-group.ts';
import { lastLines } from './output-tail.ts';

// Printed by unshare when a graph host was killed.
const UNSHARE_KILLED = /^unshare: sigprocmask unblock failed/;

/** How the process with this folder ended. */
export async function describeEnding(
  folder: InstanceFolder,
  { megabytes, group }: { megabytes: number; group: MemoryGroup | undefined },
): Promise<Ending> {
  const [code, output, ranOut] = await Promise.all([
    readExitCode(folder),
    lastLines(folder.output, READ_LINES),
    group?.ranOut() ?? false,
  ]);
  const lines = output.filter((line) => !UNSHARE_KILLED.test(line));
  return endingOf({ code, ranOut, megabytes, output: lines });
}
