import { isAscii } from 'node:buffer';
import { searchedText } from './searched-text.ts';

const LENGTH = 4;
const MOST_BITS = 15;
const LEAST_BYTES = 8;
// What more of them would tell of a word is little.
const MOST_OF_A_WORD = 12;
const ESCAPE = Buffer.from('\\u');
// What is no ASCII, and becomes it in lower case.
const BECOMES_ASCII = /[\u0130\u212a]/;

/** Of each byte what it is in lower case; 0 where it is part of no word. */
type Letters = Uint8Array;
const letters = (beyondAscii: boolean): Letters =>
  Uint8Array.from({ length: 256 }, (_, byte) => {
    if (byte >= 0x80) return beyondAscii ? byte : 0;
    const letter = String.fromCharCode(byte).toLowerCase();
    return /[a-z0-9_@-]/.test(letter) ? letter.charCodeAt(0) : 0;
  });
const OF_BODIES = letters(true);
// Beyond ASCII Postgres has an idea of its own of what is lower case.
const OF_ROWS = letters(false);

/**
 * Which four letters follow each other in texts, as a set of bits: a word can only be in a text that has all of the
 * word's. Some share a bit: so a text may seem to have a word that it has not, and never the other way round.
 */
export class Grams {
  readonly #bits = new Uint8Array(2 ** MOST_BITS / 8);
  #isKnown = true;

  /** JSON text of a body; words are looked for in its `searchedText`. */
  addBody(body: Buffer): void {
    try {
      const isPlain = isAscii(body) && !body.includes(ESCAPE);
      mark(this.#bits, isPlain ? body : Buffer.from(searchedText(body.toString('utf8'))), OF_BODIES);
    } catch {
      this.#isKnown = false;
    }
  }

  /** What a row says; Postgres looks for words in it. */
  addRow(text: string): void {
    if (BECOMES_ASCII.test(text)) this.#isKnown = false;
    else mark(this.#bits, Buffer.from(text), OF_ROWS);
  }

  /** Whatever is looked for may be here. */
  addUnknown(): void {
    this.#isKnown = false;
  }

  /** A power of two of bytes, as few as leave half of the bits free; null where anything may be here. */
  pack(): Buffer | null {
    if (!this.#isKnown) return null;
    let bits = this.#bits;
    while (bits.length > LEAST_BYTES) {
      const half = bits.length / 2;
      const folded = new Uint8Array(half);
      for (let at = 0; at < half; at++) folded[at] = bits[at]! | bits[at + half]!;
      if (countOf(folded) > half * 4) break;
      bits = folded;
    }
    return Buffer.from(bits);
  }
}

/** Places of the bits that a text has in which this is found, in lower case: none of a short word. */
export function gramsOf(word: string, where: 'bodies' | 'rows'): number[] {
  // In metadata it is written as an escape, elsewhere as it is.
  // oxlint-disable-next-line no-control-regex
  if (where === 'rows' && /[\0-\x1f]/.test(word)) return [];
  const bits = new Uint8Array(2 ** MOST_BITS / 8);
  mark(bits, Buffer.from(word), where === 'bodies' ? OF_BODIES : OF_ROWS);
  const found: number[] = [];
  for (let bit = 0; bit < bits.length * 8; bit++) if (bits[bit >>> 3]! & (1 << (bit & 7))) found.push(bit);
  const step = Math.max(1, found.length / MOST_OF_A_WORD);
  return found.filter((_, index) => Math.floor(index % step) === 0).slice(0, MOST_OF_A_WORD);
}

/** SQL that is true where a packed set may have all of these; `column` is one, or null. */
export const haveGramsSql = (column: string, grams: number[]): string =>
  `(${column} is null or (${grams
    .map((gram) => `get_bit(${column}, ${gram} & (8 * octet_length(${column}) - 1)) = 1`)
    .join(' and ')}))`;

// All that is ingested comes through here: no calls, nothing made.
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
    const bit = Math.imul(last, 0x9e3779b1) >>> (32 - MOST_BITS);
    bits[bit >>> 3]! |= 1 << (bit & 7);
  }
}

const ONES = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll('0', '').length);
function countOf(bits: Uint8Array): number {
  let count = 0;
  for (const byte of bits) count += ONES[byte]!;
  return count;
}
