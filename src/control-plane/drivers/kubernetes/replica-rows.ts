import { inTransaction, type Database, type Queryable } from '../../../platform/db/database.ts';
import type { RevisionRow } from '../../records/revision.ts';
import { type InstanceRow, type InstanceState, listInstances } from '../instance-repository.ts';

/** A pod that serves. */
export interface ReadyPod {
  name: string;
  url: string;
}

export interface Slot {
  replica: number;
  /** Undefined if no pod is ready in its place. */
  pod: ReadyPod | undefined;
}

/** Assigns each ready pod to a replica: the one it had, else the first free one. */
export function placePods(
  rows: Pick<InstanceRow, 'replica' | 'identity'>[],
  pods: ReadyPod[],
  replicas: number,
): Slot[] {
  const slots = Array.from({ length: replicas }, (_, replica): Slot => {
    const name = rows.find((row) => row.replica === replica)?.identity;
    return { replica, pod: pods.find((pod) => pod.name === name) };
  });
  const rest = pods.filter((pod) => !slots.some((slot) => slot.pod === pod));
  return slots.map((slot) => ({ ...slot, pod: slot.pod ?? rest.shift() }));
}

const LEASE = `now() + interval '15 seconds'`;

/** The row comes first, so that objects created later are never orphaned. */
export async function admit(
  db: Queryable,
  { id, deployment_id }: Pick<RevisionRow, 'id' | 'deployment_id'>,
  host: string,
): Promise<void> {
  await db.query(
    `insert into control_plane.instance (revision_id, replica, deployment_id, driver, host, lease_until)
     values ($1, 0, $2, 'kubernetes', $3, ${LEASE}) on conflict do nothing`,
    [id, deployment_id, host],
  );
}

/**
 * Records the ready pods, and gateways use them at once. Does nothing for a stopping revision, or, without `replicas`, for a
 * starting one. Returns the address of the first replica.
 */
export async function noteReady(
  db: Database,
  revision: Pick<RevisionRow, 'id' | 'deployment_id'>,
  about: { host: string; pods: ReadyPod[]; replicas?: number },
): Promise<string | undefined> {
  const { host, pods, replicas } = about;
  const { id, deployment_id } = revision;
  return inTransaction(db, async (tx) => {
    await tx.query('select from control_plane.instance where revision_id = $1 for update', [id]);
    const rows = await listInstances(tx, { revision_id: id });
    const settled = rows.every(({ state }) => state === 'running' || (state === 'starting' && replicas));
    if (rows.length === 0 || (!settled && !replicas)) return undefined;
    if (rows.some(({ state }) => state === 'stopping')) return undefined;
    const slots = placePods(rows, pods, replicas ?? rows.length);
    for (const { replica, pod } of slots)
      await tx.query(
        `insert into control_plane.instance as known
           (revision_id, replica, deployment_id, driver, host, state, url, identity, started_at, lease_until)
         values ($1, $2, $3, 'kubernetes', $4, 'running', $5, $6, now(), ${LEASE})
         on conflict (revision_id, replica) do update set state = 'running', url = $5, identity = $6,
           cpu = null, memory_mb = null
         where (known.state, known.url, known.identity) is distinct from ('running', $5, $6)`,
        [id, replica, deployment_id, host, pod?.url ?? null, pod?.name ?? null],
      );
    if (replicas)
      await tx.query('delete from control_plane.instance where revision_id = $1 and replica >= $2', [
        id,
        replicas,
      ]);
    return slots[0]?.pod?.url;
  });
}

/** Retires the replicas beyond `replicas`, which accept nothing new; returns the names of their pods. */
export async function retireBeyond(db: Queryable, revisionId: string, replicas: number): Promise<string[]> {
  const { rows } = await db.query<{ identity: string | null }>(
    `update control_plane.instance set state = 'draining', draining_since = now()
     where revision_id = $1 and replica >= $2 returning identity`,
    [revisionId, replicas],
  );
  return rows.flatMap(({ identity }) => identity ?? []);
}

export async function setState(
  db: Queryable,
  revisionId: string,
  state: InstanceState,
  from?: InstanceState[],
): Promise<void> {
  await db.query(
    `update control_plane.instance set state = $2,
       draining_since = case when $2 = 'draining' then now() else draining_since end
     where revision_id = $1 and ($3::text[] is null or state = any($3))`,
    [revisionId, state, from ?? null],
  );
}

export async function deleteRows(db: Queryable, revisionId: string): Promise<void> {
  await db.query('delete from control_plane.instance where revision_id = $1', [revisionId]);
}

export async function renewLeases(db: Queryable, host: string): Promise<void> {
  await db.query(`update control_plane.instance set lease_until = ${LEASE} where host = $1`, [host]);
}
