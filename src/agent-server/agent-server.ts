import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp } from '../platform/http/app.ts';
import { EXACT_NUMBERS } from '../platform/http/exact-numbers.ts';
import { gatewayOnly } from '../platform/http/gateway-only.ts';
import { answerMalformed } from '../platform/http/malformed.ts';
import { serveUpgrades } from '../platform/http/upgrade.ts';
import { originOf } from '../platform/network-address.ts';
import type { AgentDeps } from './agent-deps.ts';
import { agentRoutes } from './agent-routes.ts';
import { agentMiddleware } from './agent-middleware.ts';
import { headerPicker } from './auth/header-patterns.ts';
import { ownHostOnly } from './meta/foreign-host.ts';

// Four times what the gateway accepts, which adds headers of its own: a refusal would look like a failure of the agent.
const LARGEST_HEAD_BYTES = 64 * 1024;

type Handle = ReturnType<ReturnType<typeof createApp>['callback']>;

/** The HTTP handler of an agent server, independent of how requests arrive. */
export function agentHandler(deps: AgentDeps): Handle {
  const { config, log, project } = deps;
  return createApp(agentRoutes(deps), {
    log,
    bodyLimit: config.SLIPWAY_BODY_LIMIT_BYTES,
    json: EXACT_NUMBERS,
    middleware: (hasRoute) => agentMiddleware(deps, hasRoute),
    loggedHeaders: headerPicker(project.config.http?.logging_headers, { always: [] }),
  }).callback();
}

/** Starts listening with `agentHandler`. `sockets` closes the open WebSockets. */
export async function listen(
  { config, project }: AgentDeps,
  answer: Handle,
): Promise<{ server: Server; sockets: { close(): void }; url: string; port: number }> {
  const handle = gatewayOnly(config.SLIPWAY_GATEWAY_TOKEN, ownHostOnly({ config, project }, answer));
  const server = createServer(
    {
      keepAliveTimeout: config.SLIPWAY_HTTP_KEEP_ALIVE_SECONDS * 1000,
      maxHeaderSize: LARGEST_HEAD_BYTES,
    },
    (request, response) => void handle(request, response),
  );
  answerMalformed(server);
  const sockets = serveUpgrades(server, handle, config.SLIPWAY_BODY_LIMIT_BYTES);
  // Limits slow request bodies, not the duration of runs.
  server.requestTimeout = 300_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.PORT, config.HOST, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { server, sockets, port, url: originOf(config.HOST, port) };
}
