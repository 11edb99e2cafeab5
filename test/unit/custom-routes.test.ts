import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Auth, HTTPException } from '@langchain/langgraph-sdk/auth';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Hono } from 'hono';
import Koa from 'koa';
import { pino } from 'pino';
import { createAccess } from '../../src/agent-server/auth/access.ts';
import { hostApplication } from '../../src/agent-server/custom-app/custom-app.ts';
import { customRoutes } from '../../src/agent-server/custom-app/custom-routes.ts';
import { PublicError } from '../../src/platform/errors.ts';
import { localHosts } from '../support/local-hosts.ts';

type Environment = { Bindings: { user?: { identity: string } } };

const hono = new Hono<Environment>();
hono.use('*', async (c, next) => {
  if (c.req.header('x-ping')) return c.text('pong');
  await next();
  c.header('x-order', c.env.user ? 'user known' : 'no user');
  return undefined;
});
hono.all('/answered/*', async (c, _next) => c.text('secret'));
hono.get('/two/:id', async (c, _next) => c.text(`secret ${c.req.param('id')}`));
hono.get('/who/:id', (c) => c.text(`${c.env.user?.identity} ${c.req.param('id')}`));

const auth = new Auth().authenticate((request) => {
  const user = request.headers.get('authorization');
  if (!user)
    throw new HTTPException(401, { message: 'Who are you?', headers: { 'www-authenticate': 'Bearer' } });
  return user;
});

let url = '';
const koa = new Koa();
koa.use(async (ctx, next) => {
  try {
    await next();
  } catch (error) {
    if (!(error instanceof PublicError)) throw error;
    ctx.status = error.status;
    ctx.set(error.headers ?? {});
    ctx.body = { detail: error.message };
  }
});
let server: ReturnType<typeof koa.listen>;
beforeAll(async () => {
  const config = { graphs: {}, auth: { path: 'auth' }, http: { app: 'app' } };
  const exported = (key: string) => (key === 'auth.path' ? auth : hono);
  const { hosts, description } = await localHosts({ config, exported });
  const access = createAccess({ config, description }, hosts, pino({ level: 'silent' }));
  const app = hostApplication(hosts, description);
  koa.use(customRoutes({ app, access, isOurs: () => false, middlewareFirst: true, bodyLimit: 1000 }));
  server = koa.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

const get = async (path: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(url + path, { headers });
  return [answer.status, await answer.text(), answer.headers.get('x-order')];
};

test("with middleware_first, the project's middleware runs before authentication and its routes after", async () => {
  for (let round = 0; round < 2; round++) {
    expect(await get('/who/1', { 'x-ping': '1' })).toEqual([200, 'pong', null]);
    expect(await get('/who/1')).toEqual([401, '{"detail":"Who are you?"}', null]);
    expect(await get('/who/1', { authorization: 'ada' })).toEqual([200, 'ada 1', 'user known']);
  }
});

test.each(['/answered/x', '/two/1'])(
  'what answers like middleware at %s is reached by users only',
  async (path) => {
    expect((await get(path))[0]).toBe(401);
    expect((await get(path, { authorization: 'ada' }))[1]).toMatch('secret');
  },
);

test('an unknown path is authenticated before any middleware', async () => {
  expect((await get('/nothing', { 'x-ping': '1' }))[0]).toBe(401);
});
