import type { IncomingMessage, ServerResponse } from 'node:http';
import { allowToReceive } from '../../platform/http/receive-limit.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { takesImages } from '../records/deployment-repository.ts';
import { beginUpload, cancelUpload, getBlob, getUpload, patchUpload, putUpload } from './blob-handlers.ts';
import { BlobUploads } from './blob-upload.ts';
import { answer, type RegistryExchange } from './exchange.ts';
import { ImageFolders } from './image-folders.ts';
import { deleteTag, getManifest, getTags, putManifestTo } from './manifest-handlers.ts';
import { isRegistryPath, readRepository, readTarget, type Repository } from './registry-address.ts';
import { RegistryError } from './registry-error.ts';
import { type RegistryToken, tokenOf } from './registry-token.ts';

type Deps = Pick<ControlPlaneDeps, 'config' | 'db' | 'box' | 'log'>;

const CHALLENGE = { 'www-authenticate': 'Basic realm="slipway registry"' };

const ACTIONS: Record<string, (exchange: RegistryExchange) => Promise<void>> = {
  'GET blob': getBlob,
  'POST uploads': beginUpload,
  'GET upload': getUpload,
  'PATCH upload': patchUpload,
  'PUT upload': putUpload,
  'DELETE upload': cancelUpload,
  'GET manifest': getManifest,
  'PUT manifest': putManifestTo,
  'DELETE manifest': deleteTag,
  'GET tags': getTags,
};

/** `<method> <target>` of every supported operation. */
export const REGISTRY_OPERATIONS: readonly string[] = Object.keys(ACTIONS);

/**
 * Registry for pushed images, per the OCI distribution specification 1.1 (contract §4.3). Clients authenticate with a
 * token as password, valid for one deployment.
 */
export class ImageRegistry {
  readonly #deps: Deps;
  readonly #uploads: BlobUploads;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#uploads = new BlobUploads({
      blob: deps.config.SLIPWAY_REGISTRY_LAYER_LIMIT_BYTES,
      deployment: deps.config.SLIPWAY_REGISTRY_LIMIT_BYTES,
    });
  }

  /** Whether the request is for the registry. */
  serves({ url = '/' }: IncomingMessage): boolean {
    return isRegistryPath(pathOf(url));
  }

  /** Always responds. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('docker-distribution-api-version', 'registry/2.0');
    try {
      await this.#answer(request, response);
    } catch (error) {
      this.#refuse(request, response, error);
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '/', method = 'GET' } = request;
    const token = tokenOf(this.#deps.box, request.headers.authorization);
    if (!token) throw new RegistryError('UNAUTHORIZED', 'Use a push-token as the password', CHALLENGE);
    const target = readTarget(pathOf(url));
    if (target?.of === 'base') return answer(response, 200, {}, {});
    if (!target) throw new RegistryError('NAME_UNKNOWN', 'Not found');
    if (!('name' in target)) throw new RegistryError('DENIED', 'Repositories are not listed');
    const repository = await this.#allow(token, target, method);
    const query = new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');
    const folders = new ImageFolders(this.#deps.config.SLIPWAY_DATA_DIR, repository.deployment_id);
    const act = ACTIONS[`${method === 'HEAD' ? 'GET' : method} ${target.of}`];
    if (!act) throw new RegistryError('UNSUPPORTED', 'Not supported');
    const { reference } = target;
    allowToReceive(request, this.#deps.config.SLIPWAY_RECEIVE_SECONDS * 1000);
    await act({ request, response, query, repository, folders, uploads: this.#uploads, reference });
  }

  /** Throws RegistryError unless the token permits the request and the deployment exists. */
  async #allow(token: RegistryToken, { name }: { name: string }, method: string): Promise<Repository> {
    const repository = readRepository(name);
    // Same answer for missing and foreign repositories.
    if (repository?.deployment_id !== token.deployment_id)
      throw new RegistryError('DENIED', 'This token is for another repository');
    const reads = method === 'GET' || method === 'HEAD';
    if (!reads && token.can !== 'push') throw new RegistryError('DENIED', 'This token is read-only');
    if (!reads && !(await takesImages(this.#deps.db, token.deployment_id)))
      throw new RegistryError('NAME_UNKNOWN', 'The deployment was deleted');
    return repository;
  }

  #refuse(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    const { log } = this.#deps;
    const known = error instanceof RegistryError;
    if (!known && !request.errored)
      log.error({ err: error, method: request.method }, 'request to the registry failed');
    if (response.headersSent || response.destroyed) return void response.destroy();
    const { status, code, headers, message } = known
      ? error
      : { status: 500, code: 'UNKNOWN', headers: {}, message: 'Internal error' };
    // Doesn't wait for the rest of the body.
    const unread = !request.complete && request.method !== 'GET' && request.method !== 'HEAD';
    const body = { errors: [{ code, message, detail: null }] };
    answer(response, status, { ...headers, ...(unread && { connection: 'close' }) }, body);
  }
}

function pathOf(url: string): string {
  const path = url.split('?', 1)[0]!;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
