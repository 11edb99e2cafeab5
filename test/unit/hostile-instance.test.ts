import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { readRunCounters } from '../../src/control-plane/canaries/run-counters.ts';
import { untilHealthy } from '../../src/control-plane/drivers/instance-watch.ts';

// An image may be a tenant's own server, and the platform calls it.
const servers: Server[] = [];
const serve = async (answer: RequestListener): Promise<string> => {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

const countersOf = (url: string) =>
  readRunCounters({
    revision_id: '',
    percent: null,
    is_canary: true,
    tenant_id: '',
    access: 'private',
    own_auth: false,
    token: 'secret',
    urls: [url],
  });

/** A server that redirects every request to another, and the requests that the other received. */
async function redirecting(): Promise<{ url: string; visits: unknown[] }> {
  const visits: unknown[] = [];
  const internal = await serve(({ headers }, response) => {
    visits.push(headers);
    response.end('slipway_runs_total{status="error"} 7\n');
  });
  const url = await serve((_request, response) => response.writeHead(302, { location: internal }).end());
  return { url, visits };
}

test('an instance cannot redirect the platform to an internal address', async () => {
  const { url, visits } = await redirecting();
  expect(await countersOf(url)).toEqual({});
  const isHealthy = untilHealthy({
    url,
    isAlive: async () => true,
    progress: async () => 0,
    patienceMs: 1_000,
    signal: new AbortController().signal,
  });
  expect(await isHealthy).toBe('healthy');
  expect(visits).toEqual([]);
});

test('endless counters are read to a limit', async () => {
  const url = await serve((_request, response) => {
    response.write('slipway_runs_total{status="success"} 3\n');
    const more = (): void => {
      while (!response.destroyed && response.write(`# ${'x'.repeat(100_000)}\n`));
    };
    response.on('drain', more);
    more();
  });
  expect(await countersOf(url)).toEqual({ [url]: { runs: 3, failed_runs: 0 } });
});
