import { Busy } from '../errors.ts';

/** Bytes of requests that a process has in hand, from the first that is read of one to the end of its answer. */
export class ByteBudget {
  readonly #most: number;
  #held = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Does the work of one request, which takes bytes as they come and gives all of them back at its end. `take` throws
   * Busy where they are too many with those of other requests.
   */
  async hold<T>(work: (take: (bytes: number) => void) => Promise<T>): Promise<T> {
    let taken = 0;
    const take = (bytes: number): void => {
      const others = this.#held - taken;
      if (others > 0 && this.#held + bytes > this.#most) throw new Busy();
      taken += bytes;
      this.#held += bytes;
    };
    try {
      return await work(take);
    } finally {
      this.#held -= taken;
    }
  }
}
