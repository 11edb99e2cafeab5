import type { Queryable } from '../../../platform/db/database.ts';
import { Where } from '../../../platform/db/where.ts';

export type InstanceState = 'starting' | 'running' | 'draining' | 'stopping';

export interface InstanceRow {
  revision_id: string;
  deployment_id: string;
  host: string;
  state: InstanceState;
  port: number;
  pid: number | null;
  identity: string | null;
  crashes: number;
  is_crash_noted: boolean;
  /** True once the time has come to start it again after it crashed. */
  restart_due: boolean;
  log_offset: number;
  /** It has run for a while: crashes before do not count any more. */
  is_settled: boolean;
  /** True when its host has been silent for so long that it is given up. */
  is_lost: boolean;
}

const COLUMNS = `revision_id, deployment_id, host, state, port, pid, identity, crashes, log_offset,
  restart_at is not null as is_crash_noted, coalesce(restart_at <= now(), false) as restart_due,
  coalesce(started_at < now() - interval '5 minutes', false) as is_settled,
  lease_until < now() - interval '5 minutes' as is_lost`;
/** How long an instance is believed to be well after its host was heard of, in seconds. */
const LEASE_SECONDS = 15;

type NewInstance = Pick<InstanceRow, 'revision_id' | 'deployment_id' | 'host' | 'port'>;

/** Returns false when the revision has an instance, or the port is another's. */
export async function insertInstance(db: Queryable, instance: NewInstance): Promise<boolean> {
  const { revision_id, deployment_id, host, port } = instance;
  const { rowCount } = await db.query(
    `insert into control_plane.instance (revision_id, deployment_id, host, port, lease_until)
     values ($1, $2, $3, $4, now() + make_interval(secs => ${LEASE_SECONDS})) on conflict do nothing`,
    [revision_id, deployment_id, host, port],
  );
  return rowCount === 1;
}

/** With `lock`, nobody else starts it, stops it or reads its output until the transaction ends. */
export async function findInstance(
  db: Queryable,
  revisionId: string,
  { lock = false } = {},
): Promise<InstanceRow | undefined> {
  const { rows } = await db.query<InstanceRow>(
    `select ${COLUMNS} from control_plane.instance where revision_id = $1 ${lock ? 'for update' : ''}`,
    [revisionId],
  );
  return rows[0];
}

export async function listInstances(
  db: Queryable,
  filter: { host?: string; deployment_id?: string },
): Promise<InstanceRow[]> {
  const where = new Where().andEquals('host', filter.host).andEquals('deployment_id', filter.deployment_id);
  const { rows } = await db.query<InstanceRow>(
    `select ${COLUMNS} from control_plane.instance ${where.text} order by revision_id`,
    where.values,
  );
  return rows;
}

export async function noteStarted(
  tx: Queryable,
  revisionId: string,
  { pid, identity, port }: { pid: number; identity: string; port: number },
): Promise<void> {
  await tx.query(
    `update control_plane.instance set pid = $2, identity = $3, port = $4, started_at = now(), restart_at = null,
       log_offset = 0, lease_until = now() + make_interval(secs => ${LEASE_SECONDS}) where revision_id = $1`,
    [revisionId, pid, identity, port],
  );
}

/** It ended without anyone asking: it is started again after `waitSeconds`. Its output from now on is of the next. */
export async function noteCrash(
  tx: Queryable,
  revisionId: string,
  { crashes, waitSeconds }: { crashes: number; waitSeconds: number },
): Promise<void> {
  await tx.query(
    `update control_plane.instance set crashes = $2,
       restart_at = now() + make_interval(secs => $3) where revision_id = $1`,
    [revisionId, crashes, waitSeconds],
  );
}

/** Returns false when it is in that state already, or not in one of `from`. */
export async function setInstanceState(
  db: Queryable,
  revisionId: string,
  state: InstanceState,
  from?: InstanceState[],
): Promise<boolean> {
  const where = new Where().andEquals('revision_id', revisionId).andAny('state', from);
  const { rowCount } = await db.query(
    `update control_plane.instance set state = ${where.bind(state)} ${where.text} and state <> ${where.bind(state)}`,
    where.values,
  );
  return rowCount === 1;
}

/** True for the one caller that is to tell the process of a draining instance to finish: it must hear it once. */
export async function claimFarewell(db: Queryable, revisionId: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `update control_plane.instance set is_told = true
     where revision_id = $1 and state = 'draining' and not is_told`,
    [revisionId],
  );
  return rowCount === 1;
}

export async function deleteInstance(db: Queryable, revisionId: string): Promise<void> {
  await db.query('delete from control_plane.instance where revision_id = $1', [revisionId]);
}

export async function renewLease(db: Queryable, revisionId: string): Promise<void> {
  await db.query(
    `update control_plane.instance set lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
     where revision_id = $1`,
    [revisionId],
  );
}
