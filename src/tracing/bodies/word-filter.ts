import { isAscii } from 'node:buffer';
import { searchedText } from './searched-text.ts';

const LENGTH = 4;
const MAX_BITS = 15;
const MIN_BYTES = 8;
// More than these barely improve selectivity.
const MAX_BITS_PER_WORD = 12;
const ESCAPE = Buffer.from('\\u');
// Non-ASCII characters whose lower case is ASCII.
const BECOMES_ASCII = /[\u0130\u212a]/;

/** The lower case of each byte; 0 for separators. */
type Letters = Uint8Array;
const letters = (beyondAscii: boolean): Letters =>
  Uint8Array.from({ length: 256 }, (_, byte) => {
    if (byte >= 0x80) return beyondAscii ? byte : 0;
    const letter = String.fromCharCode(byte).toLowerCase();
    return /[a-z0-9_@-]/.test(letter) ? letter.charCodeAt(0) : 0;
  });
const OF_BODIES = letters(true);
// Postgres lowers non-ASCII characters differently, so rows treat them as separators.
const OF_ROWS = letters(false);

/**
 * A Bloom filter of four-letter sequences. A text can contain a word only if it has all of the word's sequences. Bits
 * are shared, so false positives are possible and false negatives are not.
 */
export class WordFilter {
  readonly #bits = new Uint8Array(2 ** MAX_BITS / 8);
  #isKnown = true;

  /** Accepts JSON text. Words are searched in its `searchedText`. */
  addBody(body: Buffer): void {
    try {
      const isPlain = isAscii(body) && !body.includes(ESCAPE);
      mark(this.#bits, isPlain ? body : Buffer.from(searchedText(body.toString('utf8'))), OF_BODIES);
    } catch {
      this.#isKnown = false;
    }
  }

  /** Adds text of a row, which Postgres searches. */
  addRow(text: string): void {
    if (BECOMES_ASCII.test(text)) this.#isKnown = false;
    else mark(this.#bits, Buffer.from(text), OF_ROWS);
  }

  /** Makes the filter match every word. */
  matchEverything(): void {
    this.#isKnown = false;
  }

  /**
   * Folds the filter to the smallest power of two of bytes that keeps half of the bits free. Null matches every word.
   */
  pack(): Buffer | null {
    if (!this.#isKnown) return null;
    let bits = this.#bits;
    while (bits.length > MIN_BYTES) {
      const half = bits.length / 2;
      const folded = new Uint8Array(half);
      for (let at = 0; at < half; at++) folded[at] = bits[at]! | bits[at + half]!;
      if (countOf(folded) > half * 4) break;
      bits = folded;
    }
    return Buffer.from(bits);
  }
}

/** Bits that a text containing the lower-case word must have. Empty for short words. */
export function filterBitsOf(word: string, where: 'bodies' | 'rows'): number[] {
  // Control characters are escaped in metadata and literal elsewhere.
  // oxlint-disable-next-line no-control-regex
  if (where === 'rows' && /[\0-\x1f]/.test(word)) return [];
  const bits = new Uint8Array(2 ** MAX_BITS / 8);
  mark(bits, Buffer.from(word), where === 'bodies' ? OF_BODIES : OF_ROWS);
  const found: number[] = [];
  for (let bit = 0; bit < bits.length * 8; bit++) if (bits[bit >>> 3]! & (1 << (bit & 7))) found.push(bit);
  const step = Math.max(1, found.length / MAX_BITS_PER_WORD);
  return found.filter((_, index) => Math.floor(index % step) === 0).slice(0, MAX_BITS_PER_WORD);
}

/** SQL condition that is true if the filter in `column` may have all of these bits set. A null filter matches. */
export const mayContainSql = (column: string, bits: number[]): string =>
  `(${column} is null or (${bits
    .map((bit) => `get_bit(${column}, ${bit} & (8 * octet_length(${column}) - 1)) = 1`)
    .join(' and ')}))`;

// Runs for every ingested byte: no calls, no allocations.
function mark(bits: Uint8Array, text: Uint8Array, letterOf: Letters): void {
  let last = 0;
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const letter = letterOf[text[at]!]!;
    if (letter === 0) {
      length = 0;
      continue;
    }
    last = (last << 8) | letter;
    if (++length < LENGTH) continue;
    const bit = Math.imul(last, 0x9e3779b1) >>> (32 - MAX_BITS);
    bits[bit >>> 3]! |= 1 << (bit & 7);
  }
}

const ONES = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll('0', '').length);
function countOf(bits: Uint8Array): number {
  let count = 0;
  for (const byte of bits) count += ONES[byte]!;
  return count;
}
