import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client as AgentClient } from '@langchain/langgraph-sdk';
import { insertApiKey, newApiKey } from '../../src/control-plane/access/api-key-repository.ts';
import { AgentAccess } from '../../src/control-plane/gateway/agent-access.ts';
import { Gateway } from '../../src/control-plane/gateway/gateway.ts';
import { RoutingTable } from '../../src/control-plane/gateway/routing-table.ts';
import { Demand } from '../../src/control-plane/scaling/demand.ts';
import type { DriverOptions } from '../../src/control-plane/drivers/driver-options.ts';
import { connectionConfig } from '../../src/platform/db/database.ts';
import { Notifications } from '../../src/platform/db/notifications.ts';

const PAUSE_MS = 20;

/** The real gateway over the driver's database. */
export async function startGateway({ config, db, box, databaseUrl, log }: DriverOptions) {
  const notifications = new Notifications(connectionConfig({ url: databaseUrl }), log);
  await notifications.open();
  const routes = new RoutingTable(db, notifications, box);
  await routes.ready;
  const demand = new Demand(db, log);
  const apiKey = newApiKey();
  await insertApiKey(db, apiKey, { tenant_id: null, name: 'callers', role: 'deployer' });
  const access = new AgentAccess({ db, config });
  const gateway = new Gateway({ routes, access, demand, holdMs: 60_000, log });
  const server = createServer((incoming, response) => {
    const address = gateway.addressOf(incoming);
    if (address) void gateway.handle(incoming, response, address);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey,
    async close() {
      demand.close();
      await gateway.close();
      server.closeAllConnections();
      server.close();
      await notifications.close();
    },
  };
}

/** Sends continuous requests from three concurrent callers, including whole runs; `stop` returns the results. */
export function startTraffic(url: string, apiKey: string) {
  const failures: string[] = [];
  const revisions = new Set<string>();
  let answered = 0;
  const over = new AbortController();
  const look = async () => {
    const response = await fetch(`${url}/ok`);
    await response.text();
    if (!response.ok) throw new Error(`/ok was answered ${response.status}`);
    revisions.add(response.headers.get('x-slipway-revision') ?? 'none');
  };
  const client = new AgentClient({ apiUrl: url, apiKey, callerOptions: { maxRetries: 0 } });
  const work = async () => {
    const { said } = (await client.runs.wait(null, 'agent', { input: { ms: 50 } })) as { said?: string };
    if (!said) throw new Error('a run came to nothing');
  };
  const caller = async (ask: () => Promise<void>) => {
    while (!over.signal.aborted) {
      await ask().then(
        () => void answered++,
        (error: Error) => void failures.push(error.message),
      );
      await sleep(PAUSE_MS);
    }
  };
  const callers = [caller(look), caller(look), caller(work)];
  return {
    answered: () => answered,
    async stop() {
      over.abort();
      await Promise.all(callers);
      return { answered, failures, revisions };
    },
  };
}
