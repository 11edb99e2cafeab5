const FIRST_BYTES = 16 * 1024;
const CHUNK_BYTES = 1024 * 1024;
// Maximum bytes per character.
const BYTES_A_CHARACTER = 3;

/**
 * Preserialised JSON text, built in pieces. Pieces are converted to bytes when added, so that their source can be
 * freed and no byte is copied twice.
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

  /** Adds a list item, preceded by a comma if needed. */
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
