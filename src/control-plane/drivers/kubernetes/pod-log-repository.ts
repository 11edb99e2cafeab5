import type { Database, Queryable } from '../../../platform/db/database.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import { insertLines } from '../../logs/log-repository.ts';
import { readLine } from '../output-lines.ts';
import { isAfter, type StampedLine } from './stamped-lines.ts';

interface PodLog {
  pod_uid: string;
  revision: { id: string; deployment_id: string };
}

/** Time of the last stored line, in ms since 1970; 0 without one. */
export async function lastKept(db: Queryable, podUid: string): Promise<number> {
  const { rows } = await db.query<{ ms: number }>(
    'select floor(last_ns / 1000000)::float8 as ms from control_plane.pod_log where pod_uid = $1',
    [podUid],
  );
  return rows[0]?.ms ?? 0;
}

/** Stores the new ones of these lines together with their position; returns their number. */
export async function keepLines(
  db: Database,
  { pod_uid, revision }: PodLog,
  lines: StampedLine[],
): Promise<number> {
  const last = lines.at(-1);
  if (!last) return 0;
  return inTransaction(db, async (tx) => {
    await tx.query(
      'insert into control_plane.pod_log (pod_uid, revision_id) values ($1, $2) on conflict do nothing',
      [pod_uid, revision.id],
    );
    const { rows } = await tx.query<{ last_ns: string; last_count: number }>(
      'select last_ns::text, last_count from control_plane.pod_log where pod_uid = $1 for update',
      [pod_uid],
    );
    const kept = { ns: BigInt(rows[0]!.last_ns), count: rows[0]!.last_count };
    const fresh = lines.filter((line) => isAfter(line, kept));
    if (fresh.length === 0) return 0;
    await insertLines(
      tx,
      revision,
      'deploy',
      fresh.map(({ text, ns }) => readLine(text, Number(ns / 1_000_000n))),
    );
    await tx.query('update control_plane.pod_log set last_ns = $2, last_count = $3 where pod_uid = $1', [
      pod_uid,
      String(last.ns),
      last.count,
    ]);
    return fresh.length;
  });
}

/** True for the one caller that logs the `crashes`-th end of a pod's agent. */
export async function claimCrash(
  db: Queryable,
  { pod_uid, revision }: PodLog,
  crashes: number,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into control_plane.pod_log as known (pod_uid, revision_id, crashes) values ($1, $2, $3)
     on conflict (pod_uid) do update set crashes = excluded.crashes where known.crashes < excluded.crashes`,
    [pod_uid, revision.id, crashes],
  );
  return rowCount === 1;
}
