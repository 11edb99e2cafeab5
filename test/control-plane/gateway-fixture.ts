import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { pino } from 'pino';
import { insertApiKey, newApiKey } from '../../src/control-plane/access/api-key-repository.ts';
import { ControlPlaneSettings } from '../../src/control-plane/control-plane-settings.ts';
import { AgentAccess } from '../../src/control-plane/gateway/agent-access.ts';
import { Gateway } from '../../src/control-plane/gateway/gateway.ts';
import { RoutingTable } from '../../src/control-plane/gateway/routing-table.ts';
import { TrafficCounts } from '../../src/control-plane/gateway/traffic-counts.ts';
import { Demand } from '../../src/control-plane/scaling/demand.ts';
import { SealedBox } from '../../src/control-plane/secrets/sealed-box.ts';
import { connectionConfig, type Database, openDatabase } from '../../src/platform/db/database.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { Notifications } from '../../src/platform/db/notifications.ts';
import { packageRoot } from '../../src/platform/package-root.ts';
import { readSettings } from '../../src/platform/settings.ts';
import { PATIENCE_MS } from '../support/until.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import { createDatabase } from '../support/use-database.ts';

/** A gateway in this process, with its own database, in which tests define what serves. */
export function useGateway() {
  const log = pino({ level: 'silent' });
  /** Valid for the agents of every workspace. */
  const key = { 'x-api-key': newApiKey() };
  const traffic = new TrafficCounts();
  const settings = { holdMs: PATIENCE_MS };
  const upstreams: Upstream[] = [];
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let db: Database;
  let notifications: Notifications;
  let demand: Demand;
  let gateway: Gateway;
  let server: Server;
  let url: string;

  beforeAll(async () => {
    database = await createDatabase();
    db = openDatabase({ url: database.url, poolSize: 4 });
    await migrate(db, 'control-plane', new URL('migrations/control-plane/', packageRoot));
    await insertApiKey(db, key['x-api-key'], { tenant_id: null, name: 'callers', role: 'deployer' });
    notifications = new Notifications(connectionConfig({ url: database.url }), log);
    await notifications.open();
    const routes = new RoutingTable(db, notifications, new SealedBox(['a key of the tests']));
    await routes.ready;
    demand = new Demand(db, log);
    const access = new AgentAccess({ db, config: readSettings(ControlPlaneSettings, {}) });
    gateway = new Gateway(
      Object.assign(settings, { routes, access, demand, traffic, domain: 'agents.test', log }),
    );
    server = createServer((incoming, response) => {
      const address = gateway.addressOf(incoming);
      if (address) void gateway.handle(incoming, response, address);
      else response.writeHead(404).end();
    });
    gateway.serveUpgrades(server, (connection) => void connection.destroy());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    // The system may give their ports to the next test's.
    await db.query('delete from control_plane.instance');
    await Promise.all(upstreams.splice(0).map((upstream) => upstream.close()));
  });
  afterAll(async () => {
    demand.close();
    await gateway.close();
    server.close();
    server.closeAllConnections();
    await notifications.close();
    await db.end();
    await database.drop();
  });

  const upstream = async (name: string, port?: number) => {
    const started = await startUpstream(name, port);
    upstreams.push(started);
    return started;
  };

  async function deployment(): Promise<string> {
    const id = randomUUID();
    await db.query(
      `insert into control_plane.deployment (id, tenant_id, name, source) values ($1::uuid, $2, $1::text, 'git_host')`,
      [id, randomUUID()],
    );
    return id;
  }

  const reach = (id: string, at: string, replica = 0) =>
    db.query(
      `insert into control_plane.instance (revision_id, replica, deployment_id, host, port, url, state, lease_until)
       select id, $4, deployment_id, 'local', $2, $3, 'running', 'infinity' from control_plane.revision where id = $1`,
      [id, new URL(at).port, at, replica],
    );

  /** A revision of the deployment, reachable at the address if given. */
  async function revision(deploymentId: string, at?: string): Promise<string> {
    const id = randomUUID();
    await db.query(
      `insert into control_plane.revision (id, deployment_id, number, source, source_config, source_revision_config,
         environment, reason)
       select $1, $2, count(*) + 1, 'git_host', '{}', '{}', '', '' from control_plane.revision where deployment_id = $2`,
      [id, deploymentId],
    );
    if (at) await reach(id, at);
    return id;
  }

  const serve = (id: string, revisionId: string) =>
    db.query('update control_plane.deployment set active_revision_id = $2 where id = $1', [id, revisionId]);

  async function serving(name: string) {
    const started = await upstream(name);
    const id = await deployment();
    const revisionId = await revision(id, started.url);
    await serve(id, revisionId);
    return { id, revisionId, upstream: started };
  }

  return {
    key,
    settings,
    traffic,
    upstream,
    deployment,
    revision,
    reach,
    serve,
    serving,
    get url() {
      return url;
    },
    get db() {
      return db;
    },
    /** A request with the key. */
    ask: (address: string, { headers, ...init }: RequestInit = {}) =>
      fetch(address, { ...init, headers: { ...key, ...(headers as Record<string, string>) } }),
  };
}
