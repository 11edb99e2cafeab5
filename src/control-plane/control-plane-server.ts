import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Middleware } from 'koa';
import type { Registry } from 'prom-client';
import { InvalidJson, InvalidRequest } from '../platform/errors.ts';
import { createApp } from '../platform/http/app.ts';
import { docsRoutes } from '../platform/http/docs-routes.ts';
import { answerMalformed } from '../platform/http/malformed.ts';
import { openapi, openapiRoute } from '../platform/http/openapi.ts';
import { limitReceiving } from '../platform/http/receive-limit.ts';
import type { Route } from '../platform/http/route.ts';
import { authenticate } from './access/authenticate.ts';
import type { ControlPlaneDeps } from './control-plane-deps.ts';
import { controlPlaneRoutes } from './control-plane-routes.ts';
import { invalidField } from './errors.ts';
import type { Gateway } from './gateway/gateway.ts';
import { canaryRoutes } from './canaries/canary-routes.ts';
import { metricsRoute } from './gateway/metrics-route.ts';
import { trafficRoutes } from './gateway/traffic-routes.ts';
import { ImageRegistry } from './registry/registry.ts';
import { invalidAnswer } from './validation-errors.ts';

export interface ListenOptions {
  host: string;
  port: number;
  keepAliveMs: number;
  /** Longest an upload may take to arrive. */
  receiveMs: number;
  /** Longest a body may take while it is not known who sends it. */
  receiveUnknownMs: number;
  bodyLimit: number;
  version: string;
  /** What else answers on this port, asked in this order: a request that is none of theirs is the control plane's. */
  services: ((request: IncomingMessage) => RequestListener | undefined)[];
  metrics: Registry;
  /** What stands before authentication and behind it, and refuses who asks too often. */
  limits: { arrive: Middleware; known: Middleware };
}

// Three schemes, each an entry of its own (seed, Authentication).
const SECURITY = {
  securitySchemes: {
    'API Key': { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
    'Tenant ID': { type: 'apiKey', in: 'header', name: 'X-Tenant-Id' },
    'Bearer Auth': { type: 'http', scheme: 'bearer' },
  },
  security: [{ 'API Key': [] }, { 'Tenant ID': [] }, { 'Bearer Auth': [] }],
};

/** All that the control plane answers on the platform's port, its own description among it. */
export function servedRoutes(
  deps: ControlPlaneDeps,
  { metrics, version }: Pick<ListenOptions, 'metrics' | 'version'>,
): Route[] {
  const routes = [
    ...controlPlaneRoutes(deps),
    ...trafficRoutes(deps),
    ...canaryRoutes(deps),
    metricsRoute(deps, metrics),
  ];
  const title = 'Slipway control plane';
  const info = { title, version, description: 'Deployments and their revisions.' };
  return [...routes, openapiRoute(openapi(routes, info, SECURITY)), ...docsRoutes(title)];
}

/** The HTTP side of the platform, listening: its API, its registry, and the gateway to what it has deployed. */
export async function listen(
  deps: ControlPlaneDeps,
  gateway: Gateway,
  options: ListenOptions,
): Promise<{ url: string; stop(graceMs: number): Promise<void> }> {
  const { limits } = options;
  const app = createApp(servedRoutes(deps, options), {
    log: deps.log,
    bodyLimit: options.bodyLimit,
    invalid: invalidAnswer,
    middleware: () => [limits.arrive, authenticate(deps), limits.known, listBodyFaults],
  });
  const answer = app.callback();
  const registry = new ImageRegistry(deps);
  const server = createServer(
    { keepAliveTimeout: options.keepAliveMs, requestTimeout: options.receiveMs },
    (request, response) => {
      limitReceiving(request, response, options.receiveUnknownMs);
      const address = gateway.addressOf(request);
      if (address) return void gateway.handle(request, response, address);
      if (registry.serves(request)) return void registry.handle(request, response);
      const service = options.services.map((of) => of(request)).find(Boolean) ?? answer;
      service(request, response);
    },
  );
  answerMalformed(server);
  gateway.serveUpgrades(server, (connection) =>
    connection.end('HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n'),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${options.host}:${port}`,
    stop: (graceMs) => stop(server, gateway, graceMs),
  };
}

/** Gives a body that is malformed JSON, or nested too deep, the list of faults of every other 422 (seed, HTTPValidationError). */
const listBodyFaults: Middleware = async (_ctx, next) => {
  try {
    await next();
  } catch (error) {
    if (error instanceof InvalidJson) throw invalidField(['body'], error.message, 'json_invalid');
    throw error instanceof InvalidRequest ? invalidField(['body'], error.message) : error;
  }
};

/** What is being answered may end; new connections go elsewhere. */
async function stop(server: Server, gateway: Gateway, graceMs: number): Promise<void> {
  const ended = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  await Promise.race([ended, setTimeout(graceMs, undefined, { ref: false })]);
  await gateway.close();
  server.closeAllConnections();
}
