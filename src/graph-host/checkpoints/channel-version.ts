// A version has a counter in its high bits and random low bits. 31 and 22 bits make a safe integer.
const CHANCES = 2 ** 22;
const EPOCH_SECONDS = Date.UTC(2025, 0, 1) / 1000;

/**
 * Assigns versions to changed channels. A version identifies a stored value, so two branches of the same checkpoint
 * must not assign one version to different values: the counter follows the clock, and the low bits are random.
 */
export class ChannelClock {
  #step: { current: number | undefined; version: number } | undefined;

  /**
   * Returns a version greater than `current`. Channels that change together must get the same one, because the engine
   * compares them; it requests the versions of a superstep in one synchronous sequence.
   */
  next(current: number | undefined): number {
    if (typeof current === 'string')
      throw new TypeError(`Channel version "${String(current)}" is not a number`);
    if (!this.#step || this.#step.current !== current) {
      this.#step = { current, version: versionAfter(current ?? 0) };
      queueMicrotask(() => (this.#step = undefined));
    }
    return this.#step.version;
  }
}

export function versionAfter(current: number): number {
  const seconds = Math.floor(Date.now() / 1000 - EPOCH_SECONDS);
  const count = Math.max(seconds, Math.floor(current / CHANCES) + 1);
  return count * CHANCES + Math.floor(Math.random() * CHANCES);
}

/** The greatest version; undefined if there are none. */
export function greatestVersion(versions: (number | string)[]): number | string | undefined {
  return versions.reduce<number | string | undefined>(
    (greatest, version) => (greatest === undefined || isGreater(version, greatest) ? version : greatest),
    undefined,
  );
}

const isGreater = (a: number | string, b: number | string): boolean =>
  typeof a === 'number' && typeof b === 'number' ? a > b : String(a).localeCompare(String(b)) > 0;
