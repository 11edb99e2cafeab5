import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp } from '../platform/http/app.ts';
import { answerMalformed } from '../platform/http/malformed.ts';
import type { AgentDeps } from './agent-deps.ts';
import { agentRoutes } from './agent-routes.ts';
import { cors } from './meta/cors.ts';
import { measureHttp } from './meta/metrics.ts';

/** The HTTP side of an agent server, listening. */
export async function listen(deps: AgentDeps): Promise<{ server: Server; url: string }> {
  const { config, log } = deps;
  const app = createApp(agentRoutes(deps), {
    log,
    bodyLimit: config.SLIPWAY_BODY_LIMIT_BYTES,
    middleware: [measureHttp(deps), cors(deps.project.config.http?.cors)],
  });
  const server = createServer(
    { keepAliveTimeout: config.SLIPWAY_HTTP_KEEP_ALIVE_SECONDS * 1000 },
    app.callback(),
  );
  answerMalformed(server);
  // Runs take as long as they take; a slow request body does not.
  server.requestTimeout = 300_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.PORT, config.HOST, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { server, url: `http://${config.HOST}:${port}` };
}
