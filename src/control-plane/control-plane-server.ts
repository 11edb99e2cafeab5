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
import { originOf } from '../platform/network-address.ts';
import { authenticate } from './access/authenticate.ts';
import type { ControlPlaneDeps } from './control-plane-deps.ts';
import { controlPlaneRoutes } from './control-plane-routes.ts';
import { invalidField } from './errors.ts';
import type { Gateway } from './gateway/gateway.ts';
import { canaryRoutes } from './canaries/canary-routes.ts';
import { metricsRoute } from './gateway/metrics-route.ts';
import { trafficRoutes } from './canaries/traffic-routes.ts';
import { ImageRegistry } from './registry/registry.ts';
import { invalidAnswer } from './validation-errors.ts';

export interface ListenOptions {
  host: string;
  port: number;
  keepAliveMs: number;
  /** Time limit for receiving an upload, in milliseconds. */
  receiveMs: number;
  /** Time limit for a body before its sender is authenticated, in milliseconds. */
  receiveUnknownMs: number;
  bodyLimit: number;
  version: string;
  /** Other services on this port, asked in order; the control plane serves the rest. */
  services: ((request: IncomingMessage) => RequestListener | undefined)[];
  metrics: Registry;
  /** Rate limits before and after authentication. */
  limits: { arrive: Middleware; known: Middleware };
}

// One entry per scheme: each is sufficient alone.
const SECURITY = {
  securitySchemes: {
    'API Key': { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
    'Tenant ID': { type: 'apiKey', in: 'header', name: 'X-Tenant-Id' },
    'Bearer Auth': { type: 'http', scheme: 'bearer' },
  },
  security: [{ 'API Key': [] }, { 'Tenant ID': [] }, { 'Bearer Auth': [] }],
};

/** All routes on the platform's port, including the OpenAPI description. */
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
  return [...routes, openapiRoute(() => openapi(routes, info, SECURITY)), ...docsRoutes(title)];
}

/** Starts the platform's HTTP server: API, registry and gateway. */
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
    url: originOf(options.host, port),
    stop: (graceMs) => stop(server, gateway, graceMs),
  };
}

/** Reports malformed or too deeply nested JSON as a 422 in the usual form. */
const listBodyFaults: Middleware = async (_ctx, next) => {
  try {
    await next();
  } catch (error) {
    if (error instanceof InvalidJson) throw invalidField(['body'], error.message, 'json_invalid');
    throw error instanceof InvalidRequest ? invalidField(['body'], error.message) : error;
  }
};

/** Lets requests under way finish; new connections go elsewhere. */
async function stop(server: Server, gateway: Gateway, graceMs: number): Promise<void> {
  const ended = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  await Promise.race([ended, setTimeout(graceMs, undefined, { ref: false })]);
  await gateway.close();
  server.closeAllConnections();
}
