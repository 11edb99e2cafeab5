import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { packageRoot } from '../../src/platform/package-root.ts';

const ROOTS =
  'src workflows activities console/src python test bench scripts examples templates migrations'.split(' ');
const COMMENT = /^\s*(?:\/\/|\/\*|\*|#|--|""")|\s(?:\/\/|\/\*\*|#) /;
/** Words that mark a comment as translated rather than written in English. */
const MARKERS = /\b(?:told|said|beside|whoever|anew|nobody|what is|of which)\b/i;
// Some uses are idiomatic.
const MOST = 50;

async function markedComments(): Promise<string[]> {
  const found: string[] = [];
  for (const root of ROOTS) {
    for (const entry of await readdir(new URL(root, packageRoot), { recursive: true })) {
      if (!/\.(tsx?|m?js|py|sql)$/.test(entry) || /node_modules|comment-words/.test(entry)) continue;
      const lines = (await readFile(new URL(`${root}/${entry}`, packageRoot), 'utf8')).split('\n');
      for (const line of lines) {
        const start = COMMENT.exec(line)?.index;
        if (start !== undefined && MARKERS.test(line.slice(start)))
          found.push(`${root}/${entry}: ${line.trim()}`);
      }
    }
  }
  return found;
}

test('comments are in plain English', async () => {
  const marked = await markedComments();
  expect(marked.length <= MOST ? [] : marked).toEqual([]);
});
