import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { Decompress } from 'fzstd';
import { InvalidRequest, TooLarge } from '../../platform/errors.ts';
import { UnknownEncoding } from '../errors.ts';

// Built into Node from 22.15 on.
const { createZstdDecompress } = zlib as { createZstdDecompress?: () => Transform };

/**
 * The bytes of a request's body, whatever it was compressed by (contract §1.3). What is said of its size is not
 * believed: inflating stops at `limit` bytes. Throws TooLarge, UnknownEncoding, InvalidRequest.
 */
export async function requestBytes(request: IncomingMessage, limit: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw new TooLarge(limit);
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of decoded(request, encoding)) {
    size += chunk.length;
    if (size > limit) throw new TooLarge(limit);
    chunks.push(chunk);
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size);
}

async function* decoded(request: IncomingMessage, encoding: string): AsyncIterable<Buffer> {
  if (encoding === 'identity' || encoding === '') return yield* request as AsyncIterable<Buffer>;
  try {
    if (encoding === 'zstd' && !createZstdDecompress) return yield* unzstd(request);
    yield* inflated(request, inflaterOf(encoding));
  } catch (error) {
    if (request.errored || !isBroken(error)) throw error;
    throw new InvalidRequest(`The request body is not whole ${encoding}`);
  }
}

/** What is left of a request that is not read to its end is drained, so that it can be answered. */
async function* inflated(request: IncomingMessage, inflate: Transform): AsyncIterable<Buffer> {
  // Whoever reads gets the error; what comes after nobody reads any more is of no interest.
  inflate.on('error', () => {});
  const fail = (error?: Error): void => void inflate.destroy(error);
  const close = (): void => void (request.complete || fail(new Error('The request was cut off')));
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
  if (encoding === 'zstd' && createZstdDecompress) return createZstdDecompress();
  throw new UnknownEncoding(encoding);
}

const isBroken = (error: unknown): boolean =>
  error instanceof BrokenZstd ||
  /^(Z_|ZSTD_|ERR_STREAM_PREMATURE|ERR_BUFFER)/.test(String((error as { code?: unknown }).code));

class BrokenZstd extends Error {}

async function* unzstd(request: IncomingMessage): AsyncIterable<Buffer> {
  const ready: Uint8Array[] = [];
  let isWhole = false;
  const stream = new Decompress((chunk, isLast) => {
    ready.push(chunk);
    isWhole ||= isLast === true;
  });
  const push = (chunk: Uint8Array, isLast: boolean) => {
    try {
      stream.push(chunk, isLast);
    } catch (error) {
      throw new BrokenZstd('broken', { cause: error });
    }
  };
  for await (const chunk of request as AsyncIterable<Buffer>) {
    push(chunk, false);
    for (const part of ready.splice(0)) yield Buffer.from(part);
  }
  push(new Uint8Array(), true);
  for (const part of ready.splice(0)) yield Buffer.from(part);
  if (!isWhole) throw new BrokenZstd('cut off');
}
