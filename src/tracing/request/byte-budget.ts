import { Busy } from '../errors.ts';

/** Limits the bytes of all requests a process handles at a time, from first read to response. */
export class ByteBudget {
  readonly #most: number;
  #held = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Runs the work of one request, which reserves bytes through `take`; all are released at the end. `take` throws
   * Busy if the budget is exhausted.
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
