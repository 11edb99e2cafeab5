/** A line of a pod's log with its time, and its position among lines of the same time. */
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
 * Reads lines with the node's timestamps, in order. Two streams of one log agree on each line's time and count, except at
 * the time of their first lines.
 */
export class StampedLines {
  #ns = 0n;
  #count = 0;

  /** A line without a timestamp gets that of the previous line. */
  read(line: string): StampedLine {
    const [, seconds, fraction = '', zone, text] = STAMP.exec(line) ?? [];
    const ms = seconds ? Date.parse(seconds + zone!) : NaN;
    const stampNs = Number.isNaN(ms)
      ? this.#ns
      : BigInt(ms) * NS_PER_MS + BigInt(fraction.padEnd(NS_DIGITS, '0'));
    // Lines that a process writes to two streams at once may be out of order.
    this.#count = stampNs > this.#ns ? 1 : this.#count + 1;
    if (stampNs > this.#ns) this.#ns = stampNs;
    return { ns: this.#ns, count: this.#count, text: Number.isNaN(ms) ? line : text! };
  }
}

export const isAfter = (
  line: Pick<StampedLine, 'ns' | 'count'>,
  last: Pick<StampedLine, 'ns' | 'count'>,
): boolean => line.ns > last.ns || (line.ns === last.ns && line.count > last.count);
