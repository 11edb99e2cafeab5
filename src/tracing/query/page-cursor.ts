import { isUuid } from '../../platform/ids.ts';
import { defineError } from '../../platform/errors.ts';
import { storableText } from '../../platform/storable-text.ts';
import { readTime } from '../runs/run-time.ts';
import type { Cursor } from './run-query.ts';

export const InvalidCursor = defineError('InvalidCursor', 400, () => 'Invalid cursor');

export const writeCursor = ({ start_time, id }: Cursor): string =>
  Buffer.from(JSON.stringify([start_time, id])).toString('base64url');

/** Throws InvalidCursor. */
export function readCursor(cursor: string): Cursor {
  const [start_time, id] = readParts(cursor);
  if (!isUuid(id)) throw new InvalidCursor();
  return { start_time, id };
}

interface ThreadCursor {
  max_start_time: string;
  thread_id: string;
}

export const writeThreadCursor = ({ max_start_time, thread_id }: ThreadCursor): string =>
  writeCursor({ start_time: max_start_time, id: thread_id });

/** Throws InvalidCursor. */
export function readThreadCursor(cursor: string): ThreadCursor {
  const [max_start_time, thread_id] = readParts(cursor);
  return { max_start_time, thread_id };
}

function readParts(cursor: string): [time: string, name: string] {
  try {
    const [time, name] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    const read = readTime(time);
    if (read && typeof name === 'string') return [read, storableText(name)];
  } catch {}
  throw new InvalidCursor();
}
