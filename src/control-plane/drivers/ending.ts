import { constants } from 'node:os';

/** How an agent ended, described for the person who deployed it. */
export interface Ending {
  reason: string;
  /** Whether a restart would fail the same way. */
  isFinal: boolean;
  /** The relevant last lines of its output. */
  lines: string[];
}

export interface Ended {
  /** Exit code; 128 plus the signal's number if it was killed; undefined if unknown. */
  code: number | undefined;
  /** Whether the system killed it at its memory limit. */
  ranOut: boolean;
  /** Its memory limit in MB. */
  megabytes: number;
  /** The end of its output. */
  output: string[];
}

/** Number of lines of output to search for the cause. */
export const READ_LINES = 100;
const LINES = 8;
// Exit code of `slipway serve` if a setting or the project is invalid.
const EXIT_USAGE = 2;
const SIGNALLED = 128;
// Messages of V8, and of `slipway host` for a process that the system killed.
const HEAP = /heap out of memory|Allocation failed|^slipway: .*\(out of memory\)/;
// Never the cause, because a deployment's variables come from the platform and not from a file.
const NO_ENV_FILE = /: env: no such file: /;
// A frame of V8's native stack trace; the reason is in a line before it.
const NATIVE_FRAME = /^\s*\d+: 0x[0-9a-f]+ /;
// Node prints an uncaught error as its location, the source line and a caret, then error and stack.
const PLACE = /^(?:file:\/\/|\/|[A-Z]:\\).*:\d+$/;
const CARET = /^\s*\^+$/;
const FRAME = /^\s+at (?:async )?\S.*(?:\(|:\d+|<anonymous>)/;
const VERSION = /^Node\.js v\d/;
// Prefix of the server's own last message.
const FAILED = 'slipway: ';
// The server's message after the project's process crashed, whose own output before it is more specific.
const CRASHED = `${FAILED}the process that loads the project ended`;

export function endingOf({ code, ranOut, megabytes, output }: Ended): Ending {
  const isCause = (line: string) =>
    !NATIVE_FRAME.test(line) && !NO_ENV_FILE.test(line) && !line.startsWith(CRASHED);
  const lines = relevantLines(output.filter(isCause));
  if (ranOut || output.some((line) => HEAP.test(line)))
    return { reason: `it ran out of its ${megabytes} MB of memory`, isFinal: true, lines };
  return { reason: reasonOf(code), isFinal: code === EXIT_USAGE, lines };
}

/** The output from the crash on, or else its last lines; without stack frames, which would fill all lines. */
function relevantLines(output: string[]): string[] {
  const relevant = output.filter((line) => line.trim() && !FRAME.test(line) && !VERSION.test(line));
  const caret = relevant.findLastIndex((line) => CARET.test(line));
  const place = relevant.slice(0, Math.max(caret, 0)).findLastIndex((line) => PLACE.test(line));
  const crash = Math.max(
    place,
    relevant.findLastIndex((line) => line.startsWith(FAILED)),
  );
  return crash >= 0 ? relevant.slice(crash, crash + LINES) : relevant.slice(-LINES);
}

function reasonOf(code: number | undefined): string {
  if (code === undefined) return 'it was killed';
  const name = Object.entries(constants.signals).find(([, number]) => number === code - SIGNALLED)?.[0];
  return name ? `it was killed by ${name}` : `it ended with exit code ${code}`;
}

/** The ending as one text: the reason, then the last lines, without the paths in `hidden`. */
export const endingText = ({ reason, lines }: Ending, hidden: string[]): string =>
  [reason, ...lines.map((line) => hideAll(line, hidden))].join('\n');

const hideAll = (line: string, hidden: string[]): string =>
  hidden.reduce((text, secret) => text.replaceAll(secret, '…'), line);
