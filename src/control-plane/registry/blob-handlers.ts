import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { findBlob } from './blob-store.ts';
import type { Chunk } from './blob-upload.ts';
import { answer, type RegistryExchange } from './exchange.ts';
import { DIGEST } from './registry-address.ts';
import { RegistryError } from './registry-error.ts';

/** GET and HEAD of a blob, whole or one range. */
export async function getBlob({ request, response, folders, reference }: RegistryExchange): Promise<void> {
  const digest = checked(reference);
  const size = await findBlob(folders, digest);
  if (size === undefined) throw new RegistryError('BLOB_UNKNOWN', `This deployment has no blob ${digest}`);
  const { start, end, partial } = rangeOf(request.headers.range, size);
  response.writeHead(partial ? 206 : 200, {
    'content-type': 'application/octet-stream',
    'content-length': String(end - start + 1),
    'docker-content-digest': digest,
    'accept-ranges': 'bytes',
    etag: `"${digest}"`,
    ...(partial && { 'content-range': `bytes ${start}-${end}/${size}` }),
  });
  if (request.method === 'HEAD' || size === 0) response.end();
  else await pipeline(createReadStream(folders.blob(digest), { start, end }), response);
}

/** POST: starts an upload. Completes at once if the request contains the blob, or the deployment has it (a mount). */
export async function beginUpload(exchange: RegistryExchange): Promise<void> {
  const { query, folders, uploads } = exchange;
  const mount = query.get('mount');
  // Ignores the named repository: only this deployment's blobs count.
  if (mount && (await findBlob(folders, checked(mount))) !== undefined) return created(exchange, mount);
  const digest = query.get('digest');
  if (digest) checked(digest);
  const id = await uploads.begin(folders);
  if (!digest) return tellUpload(exchange, id, 0, 202);
  try {
    await uploads.finish(folders, id, chunkOf(exchange), digest);
  } catch (error) {
    // The client never learned its id, so it can't continue.
    await uploads.cancel(folders, id).catch(() => {});
    throw error;
  }
  created(exchange, digest);
}

/** GET: bytes received so far. */
export async function getUpload(exchange: RegistryExchange): Promise<void> {
  const { uploads, folders, reference } = exchange;
  tellUpload(exchange, reference, await uploads.size(folders, reference), 204);
}

/** PATCH: another chunk. */
export async function patchUpload(exchange: RegistryExchange): Promise<void> {
  const { uploads, folders, reference } = exchange;
  tellUpload(exchange, reference, await uploads.append(folders, reference, chunkOf(exchange)), 202);
}

/** PUT: the last chunk, possibly empty, and the blob's digest. */
export async function putUpload(exchange: RegistryExchange): Promise<void> {
  const { uploads, folders, reference, query } = exchange;
  const digest = checked(query.get('digest') ?? '');
  await uploads.finish(folders, reference, chunkOf(exchange), digest);
  created(exchange, digest);
}

/** DELETE of an upload. */
export async function cancelUpload(exchange: RegistryExchange): Promise<void> {
  const { uploads, folders, reference, response } = exchange;
  await uploads.cancel(folders, reference);
  answer(response, 204);
}

function checked(digest: string): string {
  if (!DIGEST.test(digest))
    throw new RegistryError('DIGEST_INVALID', 'A digest must be sha256: and 64 hexadecimal digits');
  return digest;
}

/** The chunk in a request, with its position if given (`content-range: <start>-<end>`). */
function chunkOf({ request }: RegistryExchange): Chunk {
  const text = request.headers['content-range'];
  if (text === undefined) return { body: request };
  const [, from, to] = /^(?:bytes[ =])?(\d{1,15})-(\d{1,15})(?:\/.*)?$/.exec(text) ?? [];
  if (!from || !to || Number(to) < Number(from))
    throw new RegistryError('BLOB_UPLOAD_INVALID', 'content-range must be <start>-<end>');
  return { body: request, range: { start: Number(from), end: Number(to) } };
}

function tellUpload(
  { response, repository }: Pick<RegistryExchange, 'response' | 'repository'>,
  id: string,
  size: number,
  status: number,
): void {
  answer(response, status, {
    location: `/v2/${repository.name}/blobs/uploads/${id}`,
    range: `0-${Math.max(0, size - 1)}`,
    'docker-upload-uuid': id,
  });
}

const created = (
  { response, repository }: Pick<RegistryExchange, 'response' | 'repository'>,
  digest: string,
): void =>
  answer(response, 201, {
    location: `/v2/${repository.name}/blobs/${digest}`,
    'docker-content-digest': digest,
  });

/** Parses `bytes=a-b`, `bytes=a-` and `bytes=-n`; several ranges get the whole blob. */
function rangeOf(header: string | undefined, size: number): { start: number; end: number; partial: boolean } {
  const whole = { start: 0, end: size - 1, partial: false };
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (!from && !to) return whole;
  const start = from ? Number(from) : Math.max(0, size - Number(to));
  const end = from && to ? Math.min(Number(to), size - 1) : size - 1;
  if (start > end)
    throw new RegistryError('RANGE_INVALID', `The blob has ${size} bytes`, {
      'content-range': `bytes */${size}`,
    });
  return { start, end, partial: true };
}
