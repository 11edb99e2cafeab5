import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Agent } from 'undici';
import { PublicError } from '../../platform/errors.ts';
import { allowToReceive, KNOWN_MS, requirePace } from '../../platform/http/receive-limit.ts';
import type { AgentAccess } from './agent-access.ts';
import { Exchange } from './exchange.ts';
import { type GatewayAddress, gatewayAddress } from './gateway-address.ts';
import { hasBody, keptBody } from './repetition.ts';
import { chooseRevision, NO_CANARY, bucketOf } from './revision-choice.ts';
import type { Demand } from '../scaling/demand.ts';
import type { RoutingTable } from './routing-table.ts';
import type { TrafficCounts } from './traffic-counts.ts';

export interface GatewayOptions {
  routes: RoutingTable;
  access: AgentAccess;
  /** Keeps requested revisions awake. */
  demand: Demand;
  /** Domain whose subdomains address deployments. */
  domain?: string | undefined;
  /** How long a request waits for an unreachable revision, in milliseconds. */
  holdMs: number;
  /** Retries of repeatable requests, and the largest body buffered for them. */
  repeat?: { times: number; mostBytes: number };
  /** Counts every request to a deployment. */
  traffic?: TrafficCounts | undefined;
  log: Logger;
}

const AGAIN_MS = 50;
const CONNECT_MS = 5_000;
const REPEAT = { times: 2, mostBytes: 1_000_000 };

/** Routes requests to the active revision, uninterrupted by deployments (contract §5, 7–10). */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #upgraded = new Set<Duplex>();
  // Runs have no time limit here, and agents enforce their own limits.
  readonly #agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, connect: { timeout: CONNECT_MS } });

  constructor(options: GatewayOptions) {
    this.#options = options;
  }

  /** Undefined for requests that aren't the gateway's. */
  addressOf({ url = '/', headers }: IncomingMessage): GatewayAddress | undefined {
    return gatewayAddress(url, headers.host, this.#options.domain);
  }

  /** Always responds. */
  async handle(request: IncomingMessage, response: ServerResponse, address: GatewayAddress): Promise<void> {
    try {
      await this.#forward(request, response, address);
    } catch (error) {
      if (error instanceof PublicError) return refuse(response, error.status, error.message, error.headers);
      this.#options.log.error(
        { err: error, [`${address.of}_id`]: address.id },
        'could not forward a request',
      );
      refuse(response, 503, 'The gateway cannot find out where this leads; try again');
    }
  }

  /** Handles WebSocket upgrades for the gateway; passes others to `otherwise`. */
  serveUpgrades(server: Server, otherwise: (connection: Duplex) => void): void {
    server.on('upgrade', (request: IncomingMessage, connection: Socket, head: Buffer) => {
      const address = this.addressOf(request);
      connection.on('error', () => connection.destroy());
      if (!address) return otherwise(connection);
      // Other upgrades are ignored and answered as plain requests, as RFC 9110 §7.8 allows.
      if (request.headers.upgrade?.toLowerCase() !== 'websocket') delete request.headers.upgrade;
      if (head.length > 0) connection.unshift(head);
      this.#upgraded.add(connection);
      connection.once('close', () => this.#upgraded.delete(connection));
      const response = new ServerResponse(request);
      response.shouldKeepAlive = false;
      response.assignSocket(connection);
      response.once('finish', () => connection.end());
      // Bytes after the head belong to the new protocol, so there can't be a body.
      if (hasBody(request)) return refuse(response, 400, 'A request to switch protocols has no body.');
      void this.handle(request, response, address);
    });
  }

  async close(): Promise<void> {
    for (const connection of this.#upgraded) connection.destroy();
    this.#options.routes.close();
    await this.#agent.destroy();
  }

  async #forward(request: IncomingMessage, response: ServerResponse, address: GatewayAddress): Promise<void> {
    const { routes, access, demand, holdMs, traffic, repeat = REPEAT } = this.#options;
    const { of, id, path, prefix } = address;
    const count = of === 'deployment' ? traffic : undefined;
    let bucket = bucketOf(path, routes.salt);
    const until = Date.now() + holdMs;
    const tried = new Set<string>();
    let noted: string | undefined;
    let cuts = 0;
    let body: Buffer | undefined;
    let isAdmitted = false;
    for (;;) {
      const route = await routes.find(of, id);
      if (response.destroyed) return;
      if (!route) return refuse(response, 404, `There is no ${of} ${id}.`);
      // Strangers could make a canary fail if they knew, or chose, which of their requests it gets.
      const isBlind =
        route.some(({ is_canary }) => is_canary) && !(await access.isMember(request, route[0]!));
      const wanted = isBlind ? undefined : request.headers['x-slipway-revision'];
      const target = chooseRevision(route, bucket, wanted);
      if (!target) return refuse(response, 503, 'The deployment has no active revision yet.');
      const { revision_id, urls, token } = target;
      const { withheld, isKnown } = await access.admit(request, path, target);
      if (isKnown) allowToReceive(request, KNOWN_MS);
      else requirePace(request);
      // The response of a caller that disconnected is destroyed.
      if (!isAdmitted) body = await keptBody(request, repeat.mostBytes).catch(() => undefined);
      isAdmitted = true;
      if (response.destroyed) return;
      if (!isBlind) response.setHeader('x-slipway-revision', revision_id);
      const url = oneOf(urls.filter((one) => !tried.has(one))) ?? oneOf(urls);
      if (url) {
        tried.add(url);
        if (noted !== revision_id) noteRequest(demand, revision_id, request, response);
        noted = revision_id;
        const exchange = new Exchange(request, response, {
          ...(!isBlind && { revision_id }),
          url,
          path,
          prefix,
          token,
          withheld,
          body,
        });
        this.#agent.dispatch(exchange.options, exchange);
        const outcome = await exchange.outcome;
        const { status, answeredMs: ms, isCutOff } = exchange;
        if (outcome === 'done') {
          // A caller that disconnects before the response says nothing about the revision.
          if (status) count?.count(revision_id, { failed: hasFailed(status) || isCutOff, ms });
          return;
        }
        // Not the revision's fault.
        if (outcome === 'malformed')
          return refuse(response, 400, 'This request cannot be forwarded to an agent.');
        // Limits retries of a request that kills every instance it reaches.
        const isLost = outcome === 'lost' || (outcome === 'cut' && ++cuts > repeat.times);
        if (isLost || target.percent !== null) count?.count(revision_id, { failed: true });
        // An unreachable canary's share goes to the active revision.
        bucket = NO_CANARY;
        if (isLost) return refuse(response, 502, 'The revision did not respond.');
      } else demand.wake(revision_id);
      if (Date.now() >= until) {
        if (target.percent === null) count?.count(revision_id, { failed: true });
        return refuse(response, 503, 'The revision cannot be reached; try again.');
      }
      // Another replica may answer immediately.
      if (urls.some((one) => !tried.has(one))) continue;
      await setTimeout(AGAIN_MS);
      // For an unreachable revision, a Postgres notification reports the change.
      if (url) routes.forget(id);
    }
  }
}

// With these, a revision reports that it doesn't support the request.
const ASKED_WRONGLY = new Set([501, 505]);
const hasFailed = (status: number): boolean => status >= 500 && !ASKED_WRONGLY.has(status);

const oneOf = (urls: string[]): string | undefined => urls[Math.floor(Math.random() * urls.length)];

/** Keeps the revision awake until the request or upgraded connection ends. */
function noteRequest(
  demand: Demand,
  revisionId: string,
  { headers, socket }: IncomingMessage,
  response: ServerResponse,
): void {
  const end = demand.begin(revisionId);
  if (headers.upgrade) socket.once('close', end);
  else response.once('close', end);
}

function refuse(
  response: ServerResponse,
  status: number,
  detail: string,
  headers: Record<string, string> = {},
): void {
  if (response.destroyed || response.headersSent) return void response.destroy();
  const body = JSON.stringify({ detail });
  response.writeHead(status, {
    'content-type': 'application/json',
    // Lets pages of any origin read the refusal; otherwise browsers report a network error.
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'retry-after',
    'content-length': Buffer.byteLength(body),
    ...(status === 503 && { 'retry-after': '1' }),
    ...headers,
  });
  response.end(body);
}
