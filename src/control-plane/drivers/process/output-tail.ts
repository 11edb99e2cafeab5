import { open, truncate } from 'node:fs/promises';
import { type Database, inTransaction, type Queryable } from '../../../platform/db/database.ts';
import { insertLines } from '../../logs/log-repository.ts';
import { revisionMask } from '../../secrets/revision-mask.ts';
import type { SealedBox } from '../../secrets/sealed-box.ts';
import type { InstanceKey, InstanceRow } from '../instance-repository.ts';
import { readLine } from '../output-lines.ts';

const READ_BYTES = 256 * 1024;
// If an agent prints faster than its output is read, what lies between is skipped.
const MOST_BEHIND = 8 * 1024 * 1024;
const ROTATE_BYTES = 16 * 1024 * 1024;
const NEWLINE = 10;

type Printing = Pick<InstanceRow, 'deployment_id' | 'revision_id' | 'replica' | 'log_offset'>;

/**
 * Stores an instance's output since the last call, without its secrets, in the transaction that advances the offset. So
 * each line is stored once, by any number of processes. Returns the number of new bytes.
 */
export async function keepOutput(
  { db, box }: { db: Database; box: SealedBox },
  { revision_id, replica }: InstanceKey,
  file: string,
): Promise<number> {
  return inTransaction(db, async (tx) => {
    const { rows } = await tx.query<Printing>(
      `select deployment_id, revision_id, replica, log_offset from control_plane.instance
       where revision_id = $1 and replica = $2 for update skip locked`,
      [revision_id, replica],
    );
    return rows[0] ? keepOutputOf({ db: tx, box }, rows[0], file) : 0;
  });
}

/** Like `keepOutput`, for a caller that has locked the instance's row. `toEnd` includes an unterminated last line. */
export async function keepOutputOf(
  { db: tx, box }: { db: Queryable; box: SealedBox },
  instance: Printing,
  path: string,
  { toEnd = false } = {},
): Promise<number> {
  const { deployment_id, revision_id: id, replica, log_offset } = instance;
  const { text, from, to, size } = await readFrom(path, log_offset, toEnd);
  if (to === log_offset) return 0;
  const skipped = from > log_offset ? [`… ${from - log_offset} bytes of output are left out`] : [];
  const now = Date.now();
  const mask = await revisionMask({ db: tx, box }, id);
  const lines = [...skipped, ...mask(text).split('\n')].filter(Boolean).map((line) => readLine(line, now));
  if (lines.length > 0) await insertLines(tx, { deployment_id, id }, 'deploy', lines);
  // The file is open for appending, so after truncation output continues at its start. Output of this moment is lost.
  const rotated = to === size && size > ROTATE_BYTES;
  if (rotated) await truncate(path, 0);
  await tx.query(
    'update control_plane.instance set log_offset = $3 where revision_id = $1 and replica = $2',
    [id, replica, rotated ? 0 : to],
  );
  return to - from;
}

async function readFrom(path: string, offset: number, toEnd: boolean) {
  const file = await open(path, 'r').catch(() => undefined);
  if (!file) return { text: '', from: offset, to: offset, size: 0 };
  try {
    const { size } = await file.stat();
    const start = size < offset ? 0 : offset;
    const from = size - start > MOST_BEHIND ? size - READ_BYTES : start;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(READ_BYTES), 0, READ_BYTES, from);
    const read = buffer.subarray(0, bytesRead);
    const end = read.lastIndexOf(NEWLINE) + 1;
    const length = toEnd || bytesRead === READ_BYTES ? end || bytesRead : end;
    const whole = toEnd ? bytesRead : length;
    return { text: read.toString('utf8', 0, whole), from, to: from + whole, size };
  } finally {
    await file.close();
  }
}

/** The last lines of output, formatted as they are stored. */
export async function lastLines(path: string, count: number): Promise<string[]> {
  const file = await open(path, 'r').catch(() => undefined);
  if (!file) return [];
  try {
    const { size } = await file.stat();
    const from = Math.max(0, size - READ_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(READ_BYTES), 0, READ_BYTES, from);
    const lines = buffer.toString('utf8', 0, bytesRead).split('\n').filter(Boolean);
    return lines.slice(-count).map((line) => readLine(line, 0).message);
  } finally {
    await file.close();
  }
}
