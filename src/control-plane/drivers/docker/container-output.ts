import type { Container } from 'dockerode';
import { type Database, inTransaction, type Queryable } from '../../../platform/db/database.ts';
import { insertLines } from '../../logs/log-repository.ts';
import type { InstanceKey, InstanceRow } from '../instance-repository.ts';
import { readLine } from '../output-lines.ts';
import { beyond, type Cursor, type Entry, joinParts, readEntries } from './stamped-output.ts';

// Usually covers everything since the last read; the engine reads them from the end of its log.
const LATEST = 200;
const BOTH = { stdout: true, stderr: true } as const;

/** Columns that say how far the output of a container is kept. */
const CURSORS = {
  main: { offset: 'log_offset', since: 'log_since' },
  host: { offset: 'host_log_offset', since: 'host_log_since' },
} as const;

/** One of the two containers of a replica that print. */
export interface Source {
  cursor: keyof typeof CURSORS;
  container: Container;
}

type Printing = Pick<InstanceRow, 'deployment_id' | 'revision_id' | 'replica'> & Cursor;

/**
 * Keeps what a container has printed since the last time, in the transaction that notes how far: each line once, with
 * any number of workers. Returns how many entries were new.
 */
export async function keepOutput(db: Database, key: InstanceKey, source: Source): Promise<number> {
  return inTransaction(db, async (tx) => {
    const printing = await findPrinting(tx, key, source, 'for update skip locked');
    return printing ? keep(tx, printing, source, { toEnd: false }) : 0;
  });
}

/** Keeps the rest of one that has ended. The caller has locked the instance's row. */
export async function keepRest(tx: Queryable, key: InstanceKey, source: Source): Promise<void> {
  const printing = await findPrinting(tx, key, source, '');
  if (printing) await keep(tx, printing, source, { toEnd: true });
}

async function findPrinting(
  tx: Queryable,
  { revision_id, replica }: InstanceKey,
  { cursor }: Source,
  lock: '' | 'for update skip locked',
): Promise<Printing | undefined> {
  const { offset, since } = CURSORS[cursor];
  const { rows } = await tx.query<Printing>(
    `select deployment_id, revision_id, replica, ${offset} as count, ${since} as since from control_plane.instance
     where revision_id = $1 and replica = $2 ${lock}`,
    [revision_id, replica],
  );
  return rows[0];
}

async function keep(
  tx: Queryable,
  { deployment_id, revision_id, replica, since, count }: Printing,
  source: Source,
  options: { toEnd: boolean },
): Promise<number> {
  const before = { since, count };
  const { fresh, cursor } = beyond(before, await entriesSince(source.container, before), options);
  if (fresh.length === 0) return 0;
  const lines = joinParts(fresh).map(({ text, at }) => readLine(text, at));
  await insertLines(
    tx,
    { deployment_id, id: revision_id },
    'deploy',
    lines.filter(({ message }) => message),
  );
  const columns = CURSORS[source.cursor];
  await tx.query(
    `update control_plane.instance set ${columns.since} = $3, ${columns.offset} = $4
     where revision_id = $1 and replica = $2`,
    [revision_id, replica, cursor.since, cursor.count],
  );
  return fresh.length;
}

async function entriesSince(container: Container, { since, count }: Cursor): Promise<Entry[]> {
  const read = async (tail?: number) =>
    readEntries(
      await container.logs({ ...BOTH, timestamps: true, since, ...(tail !== undefined && { tail }) }),
    );
  const latest = count + LATEST;
  const entries = await read(latest);
  // Fewer than asked for, so nothing is missing.
  return entries.length < latest ? entries : read();
}

/** The last lines of a container. */
export async function lastLines(container: Container, count: number): Promise<string[]> {
  const answer = await container.logs({ ...BOTH, timestamps: true, tail: count });
  return joinParts(readEntries(answer)).map(({ text, at }) => readLine(text, at).message);
}
