const FIRST_BYTES = 16 * 1024;
const CHUNK_BYTES = 1024 * 1024;
// What a character of a string takes at most.
const BYTES_A_CHARACTER = 3;

/**
 * JSON text made elsewhere, sent as it is. It may be long, and is made piece by piece: pieces become bytes as they are
 * added, so that what they were made of is not kept, and no byte is moved again.
 */
export class JsonText {
  readonly #full: Buffer[] = [];
  #last = Buffer.alloc(0);
  #end = 0;
  #isFirst = true;

  constructor(text: string) {
    this.add(text);
  }

  /** UTF-8. */
  get chunks(): Buffer[] {
    return [...this.#full, this.#last.subarray(0, this.#end)];
  }

  add(text: string): this {
    const most = text.length * BYTES_A_CHARACTER;
    if (this.#end + most > this.#last.length) this.#begin(most);
    this.#end += this.#last.write(text, this.#end);
    return this;
  }

  /** Adds one of the items of a list, and the comma before it. */
  addItem(text: string): void {
    if (!this.#isFirst) this.add(',');
    this.#isFirst = false;
    this.add(text);
  }

  #begin(atLeast: number): void {
    if (this.#end > 0) this.#full.push(this.#last.subarray(0, this.#end));
    const size = this.#last.length === 0 ? FIRST_BYTES : CHUNK_BYTES;
    this.#last = Buffer.allocUnsafe(Math.max(atLeast, size));
    this.#end = 0;
  }
}
