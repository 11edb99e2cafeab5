import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import Koa from 'koa';
import { cors, type CorsOptions } from '../../src/agent-server/meta/cors.ts';

const PAGE = 'https://page.example';

/** What a page of another origin may do, with and without cookies. */
async function allowed(options: CorsOptions): Promise<{ origin: string | null; cookies: boolean }> {
  const app = new Koa().use(cors(options)).use((ctx) => void (ctx.body = 'answered'));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { headers } = await fetch(`http://127.0.0.1:${port}/`, { headers: { origin: PAGE } });
  server.close();
  server.closeAllConnections();
  return {
    origin: headers.get('access-control-allow-origin'),
    cookies: headers.get('access-control-allow-credentials') === 'true',
  };
}

test.each<[string, CorsOptions, string | null, boolean]>([
  ['nothing is said', {}, '*', false],
  ['credentials are allowed, and no origin is named', { allow_credentials: true }, null, false],
  ['a pattern names other origins', { allow_origin_regex: 'https://.*\\.other' }, null, false],
  ['a pattern names it', { allow_origin_regex: 'https://page.*', allow_credentials: true }, PAGE, true],
  ['no origin is let in', { allow_origins: [] }, null, false],
])('where %s', async (_, options, origin, cookies) => {
  expect(await allowed(options)).toEqual({ origin, cookies });
});
