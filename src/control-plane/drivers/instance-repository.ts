import type { Queryable } from '../../platform/db/database.ts';
import { Where } from '../../platform/db/where.ts';

export type InstanceState = 'starting' | 'running' | 'draining' | 'stopping';

/** One replica of a revision. */
export interface InstanceKey {
  revision_id: string;
  replica: number;
}

export interface InstanceRow extends InstanceKey {
  deployment_id: string;
  /** Name of the driver's runtime. */
  driver: string;
  host: string;
  state: InstanceState;
  url: string;
  /** Port on its host; null if it uses none. */
  port: number | null;
  pid: number | null;
  identity: string | null;
  crashes: number;
  is_crash_noted: boolean;
  /** True once its restart after a crash is due. */
  restart_due: boolean;
  log_offset: number;
  /** True once it has run long enough that earlier crashes no longer count. */
  is_settled: boolean;
  /** True if its host has been silent for too long. */
  is_lost: boolean;
  /** Seconds since it started draining. */
  draining_seconds: number;
}

const COLUMNS = `revision_id, replica, deployment_id, driver, host, state, url, port, pid, identity, crashes, log_offset,
  restart_at is not null as is_crash_noted, coalesce(restart_at <= now(), false) as restart_due,
  coalesce(started_at < now() - interval '5 minutes', false) as is_settled,
  lease_until < now() - interval '5 minutes' as is_lost,
  coalesce(extract(epoch from now() - draining_since), 0)::float8 as draining_seconds`;
/** Seconds for which an instance counts as healthy after its host's last report. */
const LEASE_SECONDS = 15;
/** Seconds until all gateways have learned that a replica takes no new work. */
const HEARD_SECONDS = 1;
const LEASE = `now() + make_interval(secs => ${LEASE_SECONDS})`;
const NAMED = 'revision_id = $1 and replica = $2';

type NewInstance = Pick<
  InstanceRow,
  'revision_id' | 'replica' | 'deployment_id' | 'driver' | 'host' | 'port' | 'url'
>;

/** Returns false if the replica has an instance already, or the port is taken. */
export async function insertInstance(db: Queryable, instance: NewInstance): Promise<boolean> {
  const { revision_id, replica, deployment_id, driver, host, port, url } = instance;
  const { rowCount } = await db.query(
    `insert into control_plane.instance (revision_id, replica, deployment_id, driver, host, port, url, lease_until)
     values ($1, $2, $3, $4, $5, $6, $7, ${LEASE}) on conflict do nothing`,
    [revision_id, replica, deployment_id, driver, host, port, url],
  );
  return rowCount === 1;
}

/** With `lock`, no other process can start it, stop it or read its output until the transaction ends. */
export async function findInstance(
  db: Queryable,
  { revision_id, replica }: InstanceKey,
  { lock = false } = {},
): Promise<InstanceRow | undefined> {
  const { rows } = await db.query<InstanceRow>(
    `select ${COLUMNS} from control_plane.instance where ${NAMED} ${lock ? 'for update' : ''}`,
    [revision_id, replica],
  );
  return rows[0];
}

export async function listInstances(
  db: Queryable,
  filter: { host?: string; deployment_id?: string; revision_id?: string },
): Promise<InstanceRow[]> {
  const where = new Where()
    .andEquals('host', filter.host)
    .andEquals('deployment_id', filter.deployment_id)
    .andEquals('revision_id', filter.revision_id);
  const { rows } = await db.query<InstanceRow>(
    `select ${COLUMNS} from control_plane.instance ${where.text} order by revision_id, replica`,
    where.values,
  );
  return rows;
}

export async function noteStarted(
  tx: Queryable,
  { revision_id, replica }: InstanceKey,
  { pid, identity, port, url }: { pid?: number; identity: string; port: number | null; url: string },
): Promise<void> {
  await tx.query(
    `update control_plane.instance set pid = $3, identity = $4, port = $5, url = $6, started_at = now(),
       restart_at = null, log_offset = 0, log_since = 0, host_log_offset = 0, host_log_since = 0, cpu = null,
       memory_mb = null, lease_until = ${LEASE} where ${NAMED}`,
    [revision_id, replica, pid ?? null, identity, port, url],
  );
}

/** Records a restart of the graph hosts' container; the server kept running. */
export async function noteHostStarted(tx: Queryable, { revision_id, replica }: InstanceKey): Promise<void> {
  await tx.query(
    `update control_plane.instance set started_at = now(), restart_at = null, host_log_offset = 0,
       host_log_since = 0 where ${NAMED}`,
    [revision_id, replica],
  );
}

/** Records a crash and schedules the restart after `waitSeconds`. Later output belongs to the restarted process. */
export async function noteCrash(
  tx: Queryable,
  { revision_id, replica }: InstanceKey,
  { crashes, waitSeconds }: { crashes: number; waitSeconds: number },
): Promise<void> {
  await tx.query(
    `update control_plane.instance set crashes = $3,
       restart_at = now() + make_interval(secs => $4) where ${NAMED}`,
    [revision_id, replica, crashes, waitSeconds],
  );
}

/** Returns false if it is in that state already, or in none of `from`. */
export async function setInstanceState(
  db: Queryable,
  { revision_id, replica }: InstanceKey,
  state: InstanceState,
  from?: InstanceState[],
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update control_plane.instance set state = $3,
       draining_since = case when $3 = 'draining' then now() else draining_since end
     where ${NAMED} and state <> $3 and ($4::text[] is null or state = any($4))`,
    [revision_id, replica, state, from ?? null],
  );
  return rowCount === 1;
}

/** Stops new work on all running instances of a revision. */
export async function startDraining(db: Queryable, revisionId: string): Promise<void> {
  await db.query(
    `update control_plane.instance set state = 'draining', draining_since = now()
     where revision_id = $1 and state in ('starting', 'running')`,
    [revisionId],
  );
}

/** Records that the instance's process was suspended; the host's next supervisor restarts it immediately. */
export async function noteSuspended(tx: Queryable, { revision_id, replica }: InstanceKey): Promise<void> {
  await tx.query(
    `update control_plane.instance set pid = null, identity = null, restart_at = now(), cpu = null, memory_mb = null where ${NAMED}`,
    [revision_id, replica],
  );
}

/** Records recent CPU usage in cores, and memory in MB. */
export async function noteUsage(
  db: Queryable,
  used: (InstanceKey & { cores: number; megabytes: number })[],
): Promise<void> {
  await db.query(
    `update control_plane.instance i set cpu = u.cores, memory_mb = u.megabytes
     from unnest($1::uuid[], $2::integer[], $3::real[], $4::real[]) u (revision_id, replica, cores, megabytes)
     where i.revision_id = u.revision_id and i.replica = u.replica`,
    [
      used.map(({ revision_id }) => revision_id),
      used.map(({ replica }) => replica),
      used.map(({ cores }) => cores),
      used.map(({ megabytes }) => megabytes),
    ],
  );
}

/** Clears usage that is no longer measured. */
export async function forgetUsage(db: Queryable, host: string): Promise<void> {
  await db.query(
    'update control_plane.instance set cpu = null, memory_mb = null where host = $1 and cpu is not null',
    [host],
  );
}

/**
 * Returns true to exactly one caller, which then asks a draining instance's process to finish; not before gateways have
 * had time to notice.
 */
export async function claimShutdownRequest(
  db: Queryable,
  { revision_id, replica }: InstanceKey,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update control_plane.instance set is_told = true where ${NAMED} and state = 'draining' and not is_told
       and draining_since <= now() - make_interval(secs => ${HEARD_SECONDS})`,
    [revision_id, replica],
  );
  return rowCount === 1;
}

export async function deleteInstance(db: Queryable, { revision_id, replica }: InstanceKey): Promise<void> {
  await db.query(`delete from control_plane.instance where ${NAMED}`, [revision_id, replica]);
}

export async function renewLease(db: Queryable, { revision_id, replica }: InstanceKey): Promise<void> {
  await db.query(`update control_plane.instance set lease_until = ${LEASE} where ${NAMED}`, [
    revision_id,
    replica,
  ]);
}
