import { expect, test } from '@jest/globals';
import {
  beyond,
  type Entry,
  joinParts,
  readEntries,
} from '../../src/control-plane/drivers/docker/stamped-output.ts';

const START = Date.parse('2026-01-01T00:00:00Z');

function frame(stream: number, text: string): Buffer {
  const body = Buffer.from(text);
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(body.length, 4);
  return Buffer.concat([header, body]);
}

const entry = (seconds: number, text: string, isPart = false): Entry => ({
  at: START + seconds * 1000,
  text,
  isPart,
  stream: 1,
});
const texts = (entries: Entry[]) => entries.map(({ text }) => text);
const since = (second: number, entries: Entry[]) => entries.filter(({ at }) => at >= second * 1000);

test('frames become lines of their streams, long ones in parts', () => {
  const answer = Buffer.concat([
    frame(1, '2026-01-01T00:00:00.000000001Z first ü\n'),
    frame(1, '2026-01-01T00:00:01Z a long '),
    frame(2, '2026-01-01T00:00:01Z another\n'),
    frame(1, '2026-01-01T00:00:01Z line\n'),
  ]);
  expect(joinParts(readEntries(answer))).toEqual([
    { text: 'first ü', at: START },
    { text: 'another', at: START + 1_000 },
    { text: 'a long line', at: START + 1_000 },
  ]);
});

test('a reader that resumes from a cursor gets each entry once, also late ones', () => {
  const log: Entry[] = [];
  const found: string[] = [];
  let cursor = { since: 0, count: 0 };
  const look = (toEnd = false) => {
    const next = beyond(cursor, since(cursor.since, log), { toEnd });
    found.push(...texts(next.fresh));
    cursor = next.cursor;
  };
  log.push(entry(0, 'a'), entry(1, 'b'));
  look();
  look();
  log.push(entry(10.5, 'c'), entry(10.2, 'd'));
  look();
  expect(cursor.since).toBe(START / 1000 + 8);
  log.push(entry(9.9, 'late'), entry(11, 'e'));
  look();
  look();
  log.push(entry(30, 'not whole', true));
  look();
  expect(found).toEqual(['a', 'b', 'c', 'd', 'late', 'e']);
  look(true);
  look(true);
  expect(found).toEqual(['a', 'b', 'c', 'd', 'late', 'e', 'not whole']);
});
