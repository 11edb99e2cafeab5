import { constants } from 'node:os';
import type { MemoryGroup } from './memory-group.ts';
import { type InstanceFolder, readExitCode } from './instance-folder.ts';
import { lastLines } from './output-tail.ts';

/** How a process ended, in words for whoever deployed it. */
export interface Ending {
  reason: string;
  /** Trying again would end the same way. */
  isFinal: boolean;
  /** The last lines it printed. */
  lines: string[];
}

const LINES = 8;
// What `slipway serve` ends with when a setting or the project is wrong.
const EXIT_USAGE = 2;
const SIGNALLED = 128;
const HEAP = /heap out of memory|Allocation failed/;
// A stack of the engine's own, of which the reason is the first line.
const NATIVE_FRAME = /^\s*\d+: 0x[0-9a-f]+ /;
const READ_LINES = 100;
// What unshare makes of a child that was killed: it ends with 1 instead of by the same signal.
const UNSHARE_KILLED = /^unshare: sigprocmask unblock failed/;
const SIGKILLED = SIGNALLED + constants.signals.SIGKILL;

export async function describeEnding(
  folder: InstanceFolder,
  memory: { megabytes: number; group: MemoryGroup | undefined },
): Promise<Ending> {
  const [code, output, killed] = await Promise.all([
    readExitCode(folder),
    lastLines(folder.output, READ_LINES),
    memory.group?.ranOut() ?? false,
  ]);
  const wasKilled = output.some((line) => UNSHARE_KILLED.test(line));
  const said = output.filter((line) => !NATIVE_FRAME.test(line) && !UNSHARE_KILLED.test(line));
  const lines = said.slice(-LINES);
  if (killed || output.some((line) => HEAP.test(line)))
    return { reason: `it ran out of its ${memory.megabytes} MB of memory`, isFinal: true, lines };
  return { reason: reasonOf(wasKilled ? SIGKILLED : code), isFinal: code === EXIT_USAGE, lines };
}

function reasonOf(code: number | undefined): string {
  if (code === undefined) return 'it was killed';
  const name = Object.entries(constants.signals).find(([, number]) => number === code - SIGNALLED)?.[0];
  return name ? `it was killed by ${name}` : `it ended with exit code ${code}`;
}

/** The ending as one text: what happened, then what it said last, without the places of our files. */
export const endingText = ({ reason, lines }: Ending, hidden: string[]): string =>
  [reason, ...lines.map((line) => hideAll(line, hidden))].join('\n');

const hideAll = (line: string, hidden: string[]): string =>
  hidden.reduce((text, secret) => text.replaceAll(secret, '…'), line);
