import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { InvalidRequest, TooLarge } from '../../platform/errors.ts';
import { UnknownEncoding } from '../errors.ts';
import { unzstd } from './zstd.ts';

// Built into Node since 22.15.
const { createZstdDecompress } = zlib as { createZstdDecompress?: (options: object) => Transform };
const { ZSTD_d_windowLogMax } = zlib.constants as { ZSTD_d_windowLogMax?: number };
// 8 MB, the same limit as our own decoder.
const ZSTD = { params: { [ZSTD_d_windowLogMax ?? 0]: 23 } };

/**
 * Reads and decompresses a request body (contract §1.3). Stops at `limit` bytes whatever size was declared. `take` is
 * called for each piece before it is kept and may throw. Throws TooLarge, UnknownEncoding, InvalidRequest.
 */
export async function requestBytes(
  request: IncomingMessage,
  limit: number,
  take: (bytes: number) => void = () => {},
): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw new TooLarge(limit);
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  const gather = (chunks: AsyncIterable<Buffer> | Iterable<Buffer>) => gathered(chunks, limit, take);
  if (encoding === 'identity' || encoding === '') return gather(plain(request));
  if (encoding === 'zstd' && !createZstdDecompress) return gather(unzstd(await gather(plain(request))));
  return gather(decoded(request, encoding));
}

async function gathered(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  limit: number,
  take: (bytes: number) => void,
): Promise<Buffer> {
  const kept: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > limit) throw new TooLarge(limit);
    take(chunk.length);
    kept.push(chunk);
  }
  return kept.length === 1 ? kept[0]! : Buffer.concat(kept, size);
}

/** Drains a partly read request, so that it can be answered. */
async function* plain(request: IncomingMessage): AsyncIterable<Buffer> {
  try {
    yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } finally {
    request.resume();
  }
}

async function* decoded(request: IncomingMessage, encoding: string): AsyncIterable<Buffer> {
  try {
    yield* inflated(request, inflaterOf(encoding));
  } catch (error) {
    if (request.errored || !isBroken(error)) throw error;
    throw new InvalidRequest(`The request body is truncated or invalid ${encoding}`);
  }
}

async function* inflated(request: IncomingMessage, inflate: Transform): AsyncIterable<Buffer> {
  // The reader receives the first error; later ones are irrelevant.
  inflate.on('error', () => {});
  const fail = (error?: Error): void => void inflate.destroy(error);
  const close = (): void => void (request.complete || fail(new Error('The request was aborted')));
  request.once('error', fail).once('close', close);
  try {
    yield* request.pipe(inflate) as AsyncIterable<Buffer>;
  } finally {
    request.off('error', fail).off('close', close);
    request.unpipe(inflate);
    request.resume();
  }
}

function inflaterOf(encoding: string): Transform {
  if (encoding === 'gzip' || encoding === 'x-gzip') return zlib.createGunzip();
  if (encoding === 'deflate') return zlib.createInflate();
  if (encoding === 'zstd' && createZstdDecompress) return createZstdDecompress(ZSTD);
  throw new UnknownEncoding(encoding);
}

const isBroken = (error: unknown): boolean =>
  /^(Z_|ZSTD_|ERR_STREAM_PREMATURE|ERR_BUFFER)/.test(String((error as { code?: unknown }).code));
