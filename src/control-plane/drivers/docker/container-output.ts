import type { Container } from 'dockerode';
import { type Database, inTransaction, type Queryable } from '../../../platform/db/database.ts';
import { insertLines } from '../../logs/log-repository.ts';
import type { InstanceKey, InstanceRow } from '../instance-repository.ts';
import { readLine } from '../output-lines.ts';
import { beyond, type Cursor, type Entry, joinParts, readEntries } from './stamped-output.ts';

// Usually all there is since the last look; the engine reads its log from the end for them.
const LATEST = 200;
const BOTH = { stdout: true, stderr: true } as const;

type Printing = Pick<InstanceRow, 'deployment_id' | 'revision_id' | 'replica'> & {
  log_offset: number;
  log_since: number;
};

/**
 * Keeps what a container has printed since the last time, in the transaction that notes how far: each line once, by
 * however many workers. Returns how many entries were new.
 */
export async function keepOutput(
  db: Database,
  { revision_id, replica }: InstanceKey,
  container: Container,
): Promise<number> {
  return inTransaction(db, async (tx) => {
    const printing = await findPrinting(tx, { revision_id, replica }, 'for update skip locked');
    return printing ? keep(tx, printing, container, { toEnd: false }) : 0;
  });
}

/** All the rest of one that has ended, by whoever holds the instance's row. */
export async function keepRest(tx: Queryable, key: InstanceKey, container: Container): Promise<void> {
  const printing = await findPrinting(tx, key, '');
  if (printing) await keep(tx, printing, container, { toEnd: true });
}

async function findPrinting(
  tx: Queryable,
  { revision_id, replica }: InstanceKey,
  lock: '' | 'for update skip locked',
): Promise<Printing | undefined> {
  const { rows } = await tx.query<Printing>(
    `select deployment_id, revision_id, replica, log_offset, log_since from control_plane.instance
     where revision_id = $1 and replica = $2 ${lock}`,
    [revision_id, replica],
  );
  return rows[0];
}

async function keep(
  tx: Queryable,
  { deployment_id, revision_id, replica, log_offset, log_since }: Printing,
  container: Container,
  options: { toEnd: boolean },
): Promise<number> {
  const before = { since: log_since, count: log_offset };
  const { fresh, cursor } = beyond(before, await entriesSince(container, before), options);
  if (fresh.length === 0) return 0;
  const lines = joinParts(fresh).map(({ text, at }) => readLine(text, at));
  await insertLines(
    tx,
    { deployment_id, id: revision_id },
    'deploy',
    lines.filter(({ message }) => message),
  );
  await tx.query(
    `update control_plane.instance set log_since = $3, log_offset = $4 where revision_id = $1 and replica = $2`,
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
  // Fewer than asked for: nothing of what was printed since is missing.
  return entries.length < latest ? entries : read();
}

/** The last lines a container printed. */
export async function lastLines(container: Container, count: number): Promise<string[]> {
  const answer = await container.logs({ ...BOTH, timestamps: true, tail: count });
  return joinParts(readEntries(answer)).map(({ text, at }) => readLine(text, at).message);
}
