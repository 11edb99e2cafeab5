/** A line of a pod's log: when it was said, and the how manieth of that very moment it is. */
export interface StampedLine {
  /** ns since 1970. */
  ns: bigint;
  count: number;
  text: string;
}

const STAMP = /^(\S+?)(?:\.(\d{1,9})\d*)?(Z|[+-]\d\d:\d\d) (.*)$/s;
const NS_PER_MS = 1_000_000n;
const NS_DIGITS = 9;

/**
 * Reads lines with the node's timestamps, in order. Two streams of one log agree about each line's moment and count from
 * the first whole moment both have, wherever they begin.
 */
export class StampedLines {
  #ns = 0n;
  #count = 0;

  /** Of a line without a timestamp, that of the one before. */
  read(line: string): StampedLine {
    const [, seconds, fraction = '', zone, text] = STAMP.exec(line) ?? [];
    const ms = seconds ? Date.parse(seconds + zone!) : NaN;
    const said = Number.isNaN(ms)
      ? this.#ns
      : BigInt(ms) * NS_PER_MS + BigInt(fraction.padEnd(NS_DIGITS, '0'));
    // What is written at the same time by two streams of a process need not be in order.
    this.#count = said > this.#ns ? 1 : this.#count + 1;
    if (said > this.#ns) this.#ns = said;
    return { ns: this.#ns, count: this.#count, text: Number.isNaN(ms) ? line : text! };
  }
}

export const isAfter = (
  line: Pick<StampedLine, 'ns' | 'count'>,
  last: Pick<StampedLine, 'ns' | 'count'>,
): boolean => line.ns > last.ns || (line.ns === last.ns && line.count > last.count);
