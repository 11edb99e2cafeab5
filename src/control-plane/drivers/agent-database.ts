import { randomBytes } from 'node:crypto';
import { type Database, inTransaction, type Queryable, sqlState } from '../../platform/db/database.ts';
import type { ControlPlaneSettings } from '../control-plane-settings.ts';
import type { RevisionRow } from '../records/revision.ts';
import { boundsOf } from '../scaling/scale-bounds.ts';
import type { SealedBox } from '../secrets/sealed-box.ts';

export interface AgentDatabaseOptions {
  config: Pick<ControlPlaneSettings, 'SLIPWAY_REPLICAS_LIMIT' | 'SLIPWAY_AGENT_MEMORY_MB'>;
  db: Database;
  box: SealedBox;
  /** URL of the platform's own database, whose server also holds the deployments' databases. */
  databaseUrl: string;
}

const PASSWORD_BYTES = 24;
// Per replica: its pool, a listening connection, and short-lived ones.
const CONNECTIONS = 14;
// Two during a cut-over, and one still draining. The limit grows if more are draining.
const REVISIONS = 3;
// duplicate_object and duplicate_database; unique_violation if two processes create it at the same time.
const EXISTS = ['42710', '42P04', '23505'];
const INSUFFICIENT_PRIVILEGE = '42501';

const about = (deploymentId: string): string => `database/${deploymentId}`;

/** Name of a deployment's database and of its role. */
export const databaseName = (deploymentId: string): string => `slipway_${deploymentId.replaceAll('-', '')}`;

/**
 * Creates the deployment's database, and a role that can connect to no other database of ours; returns its URL. One
 * query first checks whether all is in place, because every start and every wake-up calls this.
 */
export async function ensureAgentDatabase(
  options: AgentDatabaseOptions,
  { deployment_id: deploymentId, source_config }: Pick<RevisionRow, 'deployment_id' | 'source_config'>,
): Promise<string> {
  const { config, db, databaseUrl } = options;
  const usual = REVISIONS * boundsOf(source_config, config).max;
  const name = databaseName(deploymentId);
  const { connections, made } = await findMade(options, deploymentId, { name, usual });
  if (made !== undefined) return addressOf(databaseUrl, name, made);
  const password = await ensurePassword(options, deploymentId);
  await unless(EXISTS, db, `create role ${name}`);
  const alone = (alter: (tx: Queryable) => Promise<unknown>) =>
    inTransaction(db, async (tx) => {
      // Concurrent changes to the same role or database fail.
      await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`role/${name}`]);
      await alter(tx);
    });
  await alone((tx) =>
    tx.query(`alter role ${name} login password '${password}' connection limit ${connections}`),
  );
  // Only a superuser can create a database owned by a role it is not a member of.
  await unless([INSUFFICIENT_PRIVILEGE], db, `grant ${name} to current_user`);
  await unless(EXISTS, db, `create database ${name} owner ${name} template template0`);
  await alone((tx) => tx.query(`revoke connect, temporary on database ${name} from public`));
  await closeOwn(db);
  return addressOf(databaseUrl, name, password);
}

/**
 * The role's connection limit, for `usual` replicas or more if more exist; and its password, if role and database are
 * in place, and they and our own database are closed to others.
 */
async function findMade(
  { db, box }: AgentDatabaseOptions,
  deploymentId: string,
  { name, usual }: { name: string; usual: number },
): Promise<{ connections: number; made: string | undefined }> {
  const isClosed = (database: string) => `not has_database_privilege('public', ${database}, 'connect')`;
  const { rows } = await db.query<{ connections: number; password: Buffer | null }>(
    `with wanted as (
       select ${CONNECTIONS} * greatest($3::int, count(*)::int) as connections
       from control_plane.instance where deployment_id = $1)
     select w.connections, made.password from wanted w left join (
       select d.password, r.rolconnlimit from control_plane.deployment_database d
         join pg_roles r on r.rolname = $2 and r.rolcanlogin
         join pg_database b on b.datname = $2 and b.datdba = r.oid
       where d.deployment_id = $1 and ${isClosed('b.oid')} and ${isClosed('current_database()')}
         and not has_database_privilege('public', b.oid, 'temporary')) as made on made.rolconnlimit = w.connections`,
    [deploymentId, name, usual],
  );
  const { connections, password } = rows[0]!;
  return { connections, made: password ? box.open(password, about(deploymentId)) : undefined };
}

/** URL of the deployment's database; undefined if it has none. */
export async function findAgentDatabase(
  { db, box, databaseUrl }: Omit<AgentDatabaseOptions, 'config'>,
  deploymentId: string,
): Promise<string | undefined> {
  const { rows } = await db.query<{ password: Buffer }>(
    'select password from control_plane.deployment_database where deployment_id = $1',
    [deploymentId],
  );
  if (!rows[0]) return undefined;
  const password = box.open(rows[0].password, about(deploymentId));
  return addressOf(databaseUrl, databaseName(deploymentId), password);
}

function addressOf(platform: string, name: string, password: string): string {
  const url = new URL(platform);
  url.pathname = name;
  url.username = name;
  url.password = password;
  return url.href;
}

/** Drops the deployment's database and role, and closes their connections. */
export async function dropAgentDatabase(
  { db }: Pick<AgentDatabaseOptions, 'db'>,
  deploymentId: string,
): Promise<void> {
  const name = databaseName(deploymentId);
  await db.query(`drop database if exists ${name} with (force)`);
  await db.query(`drop role if exists ${name}`);
  await db.query('delete from control_plane.deployment_database where deployment_id = $1', [deploymentId]);
}

/** Revokes the default right to connect, which would let agents read the platform's catalog. */
async function closeOwn(db: Database): Promise<void> {
  const { rows } = await db.query<{ name: string }>(
    `select quote_ident(datname) as name from pg_database where datname = current_database()
       and has_database_privilege('public', oid, 'connect')`,
  );
  if (rows[0])
    await unless([INSUFFICIENT_PRIVILEGE], db, `revoke connect on database ${rows[0].name} from public`);
}

/** The first caller generates the password; later ones, on any host, read it. */
async function ensurePassword({ db, box }: AgentDatabaseOptions, deploymentId: string): Promise<string> {
  await db.query(
    `insert into control_plane.deployment_database (deployment_id, password) values ($1, $2)
     on conflict do nothing`,
    [deploymentId, box.seal(randomBytes(PASSWORD_BYTES).toString('hex'), about(deploymentId))],
  );
  const { rows } = await db.query<{ password: Buffer }>(
    'select password from control_plane.deployment_database where deployment_id = $1',
    [deploymentId],
  );
  return box.open(rows[0]!.password, about(deploymentId));
}

async function unless(codes: string[], db: Queryable, sql: string): Promise<void> {
  try {
    await db.query(sql);
  } catch (error) {
    if (!codes.includes(sqlState(error) ?? '')) throw error;
  }
}
