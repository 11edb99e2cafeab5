import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { WordFilter, filterBitsOf } from '../../src/tracing/bodies/word-filter.ts';
import { searchedText } from '../../src/tracing/bodies/searched-text.ts';

const has = (packed: Buffer | null, grams: number[]): boolean =>
  packed === null ||
  grams.every((gram) => {
    const bit = gram & (packed.length * 8 - 1);
    return ((packed[bit >>> 3]! >>> (bit & 7)) & 1) === 1;
  });
const ofBody = (text: string): Buffer | null => {
  const grams = new WordFilter();
  grams.addBody(Buffer.from(text));
  return grams.pack();
};
const ofRow = (text: string): Buffer | null => {
  const grams = new WordFilter();
  grams.addRow(text);
  return grams.pack();
};

const letter = fc.oneof(
  fc.constantFrom(...Array.from('aBcDe019_-@."\\/ \n\t\u0001\u001b\u212aİßÉΣ日本語🚀')),
  fc.string({ unit: 'binary', maxLength: 1 }),
);
const anyText = fc.array(letter, { maxLength: 60 }).map((letters) => letters.join(''));

test('a word in a body is always found', () => {
  fc.assert(
    fc.property(anyText, fc.boolean(), fc.nat(), fc.nat(), (text, isEscaped, from, length) => {
      const json = JSON.stringify({ text });
      const written = isEscaped
        ? json.replaceAll(/[\u0080-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
        : json;
      const searched = Array.from(searchedText(written));
      const start = from % searched.length;
      const word = searched.slice(start, start + 1 + (length % 20)).join('');
      expect(has(ofBody(written), filterBitsOf(word, 'bodies'))).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test('a word in a row is always found, however Postgres lowercases non-ASCII text', () => {
  fc.assert(
    fc.property(anyText, fc.nat(), fc.nat(), (text, from, length) => {
      const lower = text.toLowerCase();
      const word = lower.slice(from % (lower.length + 1)).slice(0, 1 + (length % 20));
      expect(has(ofRow(text), filterBitsOf(word, 'rows'))).toBe(true);
    }),
    { numRuns: 2_000 },
  );
  const becomesAscii: number[] = [];
  for (let code = 0x80; code <= 0x10_ffff; code++)
    if (/[\0-\x7f]/.test(String.fromCodePoint(code).toLowerCase())) becomesAscii.push(code);
  expect(becomesAscii).toEqual([0x130, 0x212a]);
  expect(ofRow('the temperature in \u212a')).toBeNull();
});

test('absent words are detected, in any case and script', () => {
  const body = ofBody(JSON.stringify({ text: 'The QUICK brown fox; 日本語のテスト' }));
  expect(has(body, filterBitsOf('quick', 'bodies'))).toBe(true);
  expect(has(body, filterBitsOf('quack', 'bodies'))).toBe(false);
  expect(has(body, filterBitsOf('テスト', 'bodies'))).toBe(true);
  expect(has(body, filterBitsOf('カスト', 'bodies'))).toBe(false);
  expect(has(ofRow('the quick fox'), filterBitsOf('quack', 'rows'))).toBe(false);
  expect(filterBitsOf('fox', 'bodies')).toEqual([]);
  expect(filterBitsOf('a'.repeat(50), 'bodies')).toHaveLength(1);
  expect(filterBitsOf('what-is-as-long-as-this-says-no-more', 'rows').length).toBeLessThanOrEqual(12);
});

test('few bodies need few bytes, and invalid JSON matches anything', () => {
  expect(ofBody('{"k":"quick"}')!.length).toBe(8);
  const long = Array.from({ length: 20_000 }, (_, n) => `w${(n * 2_654_435_761) % 2 ** 32}`).join(' ');
  expect(ofBody(JSON.stringify(long))!.length).toBe(4_096);
  expect(ofBody('{"text":"\\u00"}')).toBeNull();
});
