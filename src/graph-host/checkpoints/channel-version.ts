// A version is a count in the high bits and chance in the low ones: 2^31 counts and 2^22 chances fill what a number
// holds exactly.
const CHANCES = 2 ** 22;
const EPOCH_SECONDS = Date.UTC(2025, 0, 1) / 1000;

/**
 * Gives versions to changed channels. A version names a stored value, so two branches that go on from the same
 * checkpoint must not give the same one to different values: the count follows the clock, the rest is chance.
 */
export class ChannelClock {
  #step: { current: number | undefined; version: number } | undefined;

  /**
   * A version greater than `current`. Channels that change together get the same one, which is how the engine sees
   * that none of them was the last: it asks for all of a superstep without a pause.
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

/** The greatest of some versions; undefined of none. */
export function greatestVersion(versions: (number | string)[]): number | string | undefined {
  return versions.reduce<number | string | undefined>(
    (greatest, version) => (greatest === undefined || isGreater(version, greatest) ? version : greatest),
    undefined,
  );
}

const isGreater = (a: number | string, b: number | string): boolean =>
  typeof a === 'number' && typeof b === 'number' ? a > b : String(a).localeCompare(String(b)) > 0;
