/** A line that a container printed, or a part of a long one. */
export interface Entry {
  /** The engine's timestamp, in ms since 1970. */
  at: number;
  text: string;
  /** The next entry of the stream continues the line. */
  isPart: boolean;
  stream: number;
}

const HEADER = 8;
const LENGTH_AT = 4;

/** Reads a log with timestamps as the engine sends it: frames of a header and an entry. */
export function readEntries(answer: Buffer): Entry[] {
  const entries: Entry[] = [];
  for (let at = 0; at + HEADER <= answer.length;) {
    const length = answer.readUInt32BE(at + LENGTH_AT);
    const text = answer.toString('utf8', at + HEADER, at + HEADER + length);
    entries.push(readEntry(text, answer[at]!));
    at += HEADER + length;
  }
  return entries;
}

function readEntry(frame: string, stream: number): Entry {
  const space = frame.indexOf(' ');
  const text = frame.slice(space + 1);
  const isPart = !text.endsWith('\n');
  return { at: Date.parse(frame.slice(0, space)), text: isPart ? text : text.slice(0, -1), isPart, stream };
}

/** Position in a log: a number of entries since a second. */
export interface Cursor {
  since: number;
  count: number;
}

const MS = 1_000;
// The two streams are out of order by less than this.
const UNORDERED_SECONDS = 2;

/** Of the entries since a cursor's second, those after the cursor, and the next cursor. An incomplete line waits. */
export function beyond(
  { since, count }: Cursor,
  entries: Entry[],
  { toEnd }: { toEnd: boolean },
): { fresh: Entry[]; cursor: Cursor } {
  let end = entries.length;
  if (!toEnd) while (end > count && entries[end - 1]!.isPart) end--;
  const known = entries.slice(0, Math.max(count, end));
  const latest = Math.floor((known.at(-1)?.at ?? 0) / MS) - UNORDERED_SECONDS;
  const next = Math.max(since, latest);
  return {
    fresh: known.slice(count),
    cursor: { since: next, count: known.filter(({ at }) => at >= next * MS).length },
  };
}

/** Joins the parts of lines. */
export function joinParts(entries: Entry[]): { text: string; at: number }[] {
  const lines: { text: string; at: number }[] = [];
  const begun = new Map<number, string>();
  for (const { text, at, isPart, stream } of entries) {
    const line = (begun.get(stream) ?? '') + text;
    if (isPart) begun.set(stream, line);
    else {
      begun.delete(stream);
      lines.push({ text: line, at });
    }
  }
  for (const text of begun.values()) lines.push({ text, at: entries.at(-1)!.at });
  return lines;
}
