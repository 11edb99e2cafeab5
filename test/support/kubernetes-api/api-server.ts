import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { discovery, GROUPS, notFound, send, status } from './answers.ts';
import { type NodeImage } from './container-command.ts';
import type { LogEntry } from './container-process.ts';
import { Controllers } from './controllers.ts';
import { check, Refusal } from './object-rules.ts';
import { type Change, ObjectStore, selects, type StoredObject } from './object-store.ts';

const PATH =
  /^\/(?:api\/(v1)|apis\/([^/]+\/[^/]+))(?:\/namespaces\/([^/]+)\/([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?)?$/;
const EXPIRED = 410;

export interface KubernetesApiOptions {
  /** Token that callers must present. */
  token: string;
  key: Buffer;
  cert: Buffer;
  backOffMs?: number;
}

export interface Asked {
  group: string;
  resource: string;
  verb: string;
}

/**
 * As much of the Kubernetes API as the driver uses, served over TLS, on top of controllers and a node that run pods as
 * processes of this machine. It behaves like a real server wherever the driver could notice. It omits other
 * field managers' conflicts, admission, liveness probes, network policies (they are checked, not enforced).
 */
export class KubernetesApi {
  readonly store = new ObjectStore();
  readonly images = new Map<string, NodeImage>();
  readonly controllers: Controllers;
  /** Every kind of request so far: what a role must allow. */
  readonly asked = new Map<string, Asked>();
  readonly #server: Server;
  readonly #token: string;
  readonly #streams = new Set<ServerResponse>();
  url = '';

  constructor({ token, key, cert, backOffMs = 1_000 }: KubernetesApiOptions) {
    this.#token = token;
    this.controllers = new Controllers({ store: this.store, images: this.images, backOffMs });
    this.#server = createServer(
      { key, cert, keepAliveTimeout: 0 },
      (request, response) => void this.#answer(request, response),
    );
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `https://localhost:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  /** Closes connections, as a load balancer may. */
  cutStreams(): void {
    for (const stream of this.#streams) stream.destroy();
  }

  async close(): Promise<void> {
    await this.controllers.close();
    this.cutStreams();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      if (request.headers.authorization !== `Bearer ${this.#token}`)
        throw new Refusal(401, 'Unauthorized', 'Unauthorized');
      const url = new URL(request.url!, this.url);
      const [, core, named, namespace, plural, name, part] = PATH.exec(url.pathname) ?? [];
      const version = core ?? named ?? '';
      const kinds = GROUPS[version];
      if (!kinds || (plural && !kinds[plural]))
        throw notFound('the server could not find the requested resource');
      if (!plural) return send(response, 200, discovery(version, kinds));
      const group = version.includes('/') ? version.split('/')[0]! : '';
      const note = (verb: string, resource = plural) =>
        this.asked.set(`${group}/${resource}/${verb}`, { group, resource, verb });
      const about = {
        plural,
        name: name ?? '',
        kind: kinds[plural]!,
        apiVersion: version,
        namespace: namespace!,
      };
      if (part === 'log') {
        note('get', 'pods/log');
        return this.#log(about.name, url.searchParams, response);
      }
      if (request.method === 'GET' && !name) {
        if (url.searchParams.get('watch') === 'true')
          return this.#watch(note, about, url.searchParams, response);
        note('list');
        return send(response, 200, this.#list(about, url.searchParams));
      }
      if (request.method === 'PATCH')
        return send(response, 200, await this.#patch(note, about, request, url));
      if (request.method === 'DELETE') {
        note('delete');
        return send(response, 200, this.#delete(about, url.searchParams));
      }
      throw new Refusal(
        405,
        'MethodNotAllowed',
        'the server does not allow this method on the requested resource',
      );
    } catch (error) {
      const refusal = error instanceof Refusal ? error : new Refusal(500, 'InternalError', String(error));
      send(response, refusal.code, status(refusal));
    }
  }

  #list({ plural, kind, apiVersion }: About, query: URLSearchParams) {
    const found = this.store.list(plural, readSelector(query));
    const items = kind === 'PodMetrics' ? found.flatMap((pod) => this.#metricsOf(pod)) : found;
    return { apiVersion, kind: `${kind}List`, metadata: { resourceVersion: this.store.version }, items };
  }

  /** Usage as a metrics server reports it: nothing for a pod that is not running yet. */
  #metricsOf({ metadata, spec }: StoredObject) {
    const usage = this.controllers.runs.get(metadata.uid)?.usage();
    const { name, namespace, labels } = metadata;
    const containers = [{ name: spec.containers[0].name, usage }];
    return usage ? [{ metadata: { name, namespace, labels }, window: '15s', containers }] : [];
  }

  #watch(note: Note, { plural }: About, query: URLSearchParams, response: ServerResponse): void {
    note('watch');
    const selector = readSelector(query);
    const from = Number(query.get('resourceVersion') || this.store.version);
    if (from > Number(this.store.version))
      throw new Refusal(EXPIRED, 'Expired', 'too large resource version');
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    const tell = (change: Change) => {
      if (change.plural !== plural || !selects(selector, change.object.metadata.labels)) return;
      response.write(`${JSON.stringify({ type: change.type, object: change.object })}\n`);
    };
    for (const change of this.store.since(from)) tell(change);
    this.store.on('change', tell);
    this.#stream(response, () => this.store.off('change', tell));
  }

  async #patch(note: Note, about: About, request: IncomingMessage, url: URL): Promise<StoredObject> {
    const { plural, name, kind, apiVersion, namespace } = about;
    const sent = (await json(request)) as StoredObject;
    const type = request.headers['content-type'];
    const before = this.store.find(plural, name);
    note('patch');
    if (type === 'application/merge-patch+json') {
      if (!before) throw notFound(`${plural} "${name}" not found`);
      return this.store.put(plural, merged(before, sent) as StoredObject);
    }
    if (type !== 'application/apply-patch+yaml')
      throw new Refusal(
        415,
        'UnsupportedMediaType',
        `the body of the request was in an unknown format: ${type}`,
      );
    if (!url.searchParams.get('fieldManager'))
      throw new Refusal(422, 'Invalid', 'fieldManager: Required value');
    if (sent.kind !== kind || sent.apiVersion !== apiVersion || sent.metadata.name !== name)
      throw new Refusal(400, 'BadRequest', 'the object does not match the address it was sent to');
    if (sent.metadata.namespace && sent.metadata.namespace !== namespace)
      throw new Refusal(400, 'BadRequest', 'the namespace of the object does not match the request');
    if (!before) note('create');
    check(sent, before);
    const status = before?.status ? { status: before.status } : {};
    return this.store.put(plural, { ...sent, metadata: { ...sent.metadata, namespace }, ...status });
  }

  #delete({ plural, name }: About, query: URLSearchParams) {
    if (!this.store.find(plural, name)) throw notFound(`${plural} "${name}" not found`);
    const grace = query.get('gracePeriodSeconds');
    this.controllers.deleteObject(plural, name, grace === null ? undefined : Number(grace));
    return { apiVersion: 'v1', kind: 'Status', metadata: {}, status: 'Success' };
  }

  #log(name: string, query: URLSearchParams, response: ServerResponse): void {
    const pod = this.store.find('pods', name);
    if (!pod) throw notFound(`pods "${name}" not found`);
    const container = query.get('container') ?? pod.spec.containers[0].name;
    const runs = this.controllers.runs.get(pod.metadata.uid)?.logs.get(container) ?? [];
    const all = [...(pod.status.initContainerStatuses ?? []), ...(pod.status.containerStatuses ?? [])];
    const isWaiting = Boolean(all.find((one: { name: string }) => one.name === container)?.state.waiting);
    // Until the next run starts, the ended one is both the last and the previous one.
    const log = query.get('previous') === 'true' && !isWaiting ? runs.at(-2) : runs.at(-1);
    if (!log)
      throw new Refusal(400, 'BadRequest', `container "${container}" in pod "${name}" is waiting to start`);
    const since = Date.parse(query.get('sinceTime') ?? '') || 0;
    const tail = Number(query.get('tailLines') ?? Infinity);
    const write = ({ stamp, text }: LogEntry) =>
      response.write(`${query.get('timestamps') === 'true' ? `${stamp} ` : ''}${text}\n`);
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.flushHeaders();
    const found = log.entries.filter(({ stamp }) => Date.parse(stamp) >= since);
    for (const entry of found.slice(-Math.min(tail, found.length || 1))) write(entry);
    if (query.get('follow') !== 'true' || log.isOver) return void response.end();
    log.on('line', write);
    const end = () => response.end();
    log.once('end', end);
    this.#stream(response, () => log.off('line', write).off('end', end));
  }

  #stream(response: ServerResponse, close: () => void): void {
    this.#streams.add(response);
    response.once('close', () => {
      this.#streams.delete(response);
      close();
    });
  }
}

interface About {
  plural: string;
  name: string;
  kind: string;
  apiVersion: string;
  namespace: string;
}
type Note = (verb: string, resource?: string) => void;

/** RFC 7386. */
function merged(before: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const result: Record<string, unknown> = { ...(before as object) };
  for (const [key, value] of Object.entries(patch))
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  return result;
}

function readSelector(query: URLSearchParams): Record<string, string> {
  const parts = (query.get('labelSelector') ?? '').split(',').filter(Boolean);
  return Object.fromEntries(parts.map((part) => part.split('=') as [string, string]));
}
