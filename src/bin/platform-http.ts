import { readFile } from 'node:fs/promises';
import type { Client } from '@temporalio/client';
import { ensureFirstApiKey } from '../control-plane/access/first-api-key.ts';
import { makeSignInLink } from '../control-plane/access/sign-in-link.ts';
import type { ControlPlaneDeps } from '../control-plane/control-plane-deps.ts';
import { listen } from '../control-plane/control-plane-server.ts';
import { AgentAccess } from '../control-plane/gateway/agent-access.ts';
import { Gateway } from '../control-plane/gateway/gateway.ts';
import { RoutingTable } from '../control-plane/gateway/routing-table.ts';
import { TrafficCounts } from '../control-plane/gateway/traffic-counts.ts';
import { TrafficLedger } from '../control-plane/gateway/traffic-ledger.ts';
import { Demand } from '../control-plane/scaling/demand.ts';
import { connectionConfig, type DatabaseOptions } from '../platform/db/database.ts';
import { Notifications } from '../platform/db/notifications.ts';
import { packageRoot } from '../platform/package-root.ts';
import { consoleService } from './console-service.ts';
import type { PlatformSettings } from './platform-settings.ts';
import { openTracing } from './tracing-service.ts';

/** The HTTP side of a platform process: API, tracing and gateway. */
export async function startHttp(
  deps: ControlPlaneDeps & { temporal: Client },
  config: PlatformSettings,
  database: DatabaseOptions,
) {
  const { db, box, log } = deps;
  const apiKey = await ensureFirstApiKey(db, {
    configured: config.SLIPWAY_API_KEY,
    dataDir: config.SLIPWAY_DATA_DIR,
  });
  const notifications = new Notifications(connectionConfig(database), log);
  await notifications.open();
  const routes = new RoutingTable(db, notifications, box);
  await routes.ready;
  const traffic = new TrafficCounts();
  const ledger = new TrafficLedger({
    db,
    log,
    counts: traffic,
    everyMs: config.SLIPWAY_TRAFFIC_FLUSH_SECONDS * 1000,
    days: config.SLIPWAY_TRAFFIC_DAYS,
  });
  const demand = new Demand(db, log);
  const gateway = new Gateway({
    routes,
    access: new AgentAccess(deps),
    demand,
    traffic,
    domain: config.SLIPWAY_GATEWAY_DOMAIN,
    holdMs: config.SLIPWAY_GATEWAY_HOLD_SECONDS * 1000,
    repeat: { times: config.SLIPWAY_GATEWAY_REPEATS, mostBytes: config.SLIPWAY_GATEWAY_REPEAT_BYTES },
    log,
  });
  const { version } = JSON.parse(await readFile(new URL('package.json', packageRoot), 'utf8')) as {
    version: string;
  };
  const [tracing, pages] = await Promise.all([openTracing(deps, config, database), consoleService()]);
  const server = await listen(deps, gateway, {
    metrics: traffic.registry,
    host: config.HOST,
    port: config.PORT,
    keepAliveMs: config.SLIPWAY_HTTP_KEEP_ALIVE_SECONDS * 1000,
    receiveMs: config.SLIPWAY_RECEIVE_SECONDS * 1000,
    receiveUnknownMs: config.SLIPWAY_RECEIVE_UNKNOWN_SECONDS * 1000,
    bodyLimit: config.SLIPWAY_BODY_LIMIT_BYTES,
    version,
    // Pages come first: of an API's paths they take only browser navigation.
    services: [pages, tracing.service],
    limits: tracing.limits,
  });
  return {
    url: server.url,
    apiKey,
    signInToken: async () => (apiKey.key ? makeSignInLink(db, apiKey.key) : undefined),
    async stop(graceMs: number) {
      await server.stop(graceMs);
      await ledger.stop();
      demand.close();
      await notifications.close();
      await tracing.close();
    },
  };
}
