import { constants } from 'node:os';

/** How an agent ended, in words for whoever deployed it. */
export interface Ending {
  reason: string;
  /** Trying again would end the same way. */
  isFinal: boolean;
  /** The last lines it printed. */
  lines: string[];
}

export interface Ended {
  /** 128 and the signal's number where it was killed; undefined while unknown. */
  code: number | undefined;
  /** Whether the system ended it because of its limit. */
  ranOut: boolean;
  /** That limit, in MB. */
  megabytes: number;
  /** What it printed last. */
  output: string[];
}

/** How much of its output tells how an agent ended, in lines. */
export const READ_LINES = 100;
const LINES = 8;
// What `slipway serve` ends with when a setting or the project is wrong.
const EXIT_USAGE = 2;
const SIGNALLED = 128;
const HEAP = /heap out of memory|Allocation failed/;
// The variables of a deployment come from the platform: a file of them is no cause of anything.
const NO_ENV_FILE = /: env: there is no file /;
// A stack of the engine's own, of which the reason is the first line.
const NATIVE_FRAME = /^\s*\d+: 0x[0-9a-f]+ /;
// Node prints an uncaught error as its location, the source line and a caret, then error and stack.
const PLACE = /^(?:file:\/\/|\/|[A-Z]:\\).*:\d+$/;
const CARET = /^\s*\^+$/;
const FRAME = /^\s+at (?:async )?\S.*(?:\(|:\d+|<anonymous>)/;
const VERSION = /^Node\.js v\d/;
// What the server itself says before it ends.
const FAILED = 'slipway: ';
// And after the process that loads the project, of which the lines before tell more.
const CRASHED = `${FAILED}the process that loads the project ended`;

export function endingOf({ code, ranOut, megabytes, output }: Ended): Ending {
  const isCause = (line: string) =>
    !NATIVE_FRAME.test(line) && !NO_ENV_FILE.test(line) && !line.startsWith(CRASHED);
  const lines = lastWords(output.filter(isCause));
  if (ranOut || output.some((line) => HEAP.test(line)))
    return { reason: `it ran out of its ${megabytes} MB of memory`, isFinal: true, lines };
  return { reason: reasonOf(code), isFinal: code === EXIT_USAGE, lines };
}

/** The output from the crash on, without the stack, which would fill all lines; otherwise the last lines. */
function lastWords(output: string[]): string[] {
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

/** The ending as one text: what happened, then what it said last, without the places of our files. */
export const endingText = ({ reason, lines }: Ending, hidden: string[]): string =>
  [reason, ...lines.map((line) => hideAll(line, hidden))].join('\n');

const hideAll = (line: string, hidden: string[]): string =>
  hidden.reduce((text, secret) => text.replaceAll(secret, '…'), line);
