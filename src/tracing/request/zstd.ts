import { Decompress } from 'fzstd';
import { InvalidRequest } from '../../platform/errors.ts';

// Decoders need not support wider windows (RFC 8878 §3.1.1.1.2). Known SDKs use 2 MB.
const MAX_WINDOW_BYTES = 8 * 1024 * 1024;
// Limits CPU time: each block moves the whole window.
const MAX_MOVED_BYTES = 8 * 1024 ** 3;
const FRAME = 0xfd2fb528;
const SKIPPED = 0x184d2a5;
const MAX_BLOCK_BYTES = 128 * 1024;

/** Yields decompressed zstd frames piece by piece. Throws InvalidRequest for invalid or truncated input. */
export function* unzstd(bytes: Buffer): Iterable<Buffer> {
  const ready: Uint8Array[] = [];
  const stream = new Decompress((piece) => ready.push(piece));
  try {
    for (const part of parts(bytes)) {
      stream.push(part, false);
      yield* pieces(ready);
    }
    stream.push(new Uint8Array(), true);
    yield* pieces(ready);
  } catch (error) {
    if (error instanceof InvalidRequest) throw error;
    throw broken();
  }
}

function* pieces(ready: Uint8Array[]): Iterable<Buffer> {
  for (const { buffer, byteOffset, length } of ready.splice(0)) yield Buffer.from(buffer, byteOffset, length);
}

const broken = () => new InvalidRequest('The request body is truncated or invalid zstd');

/** Splits frames into blocks, so that a decompression bomb is never expanded at once. */
function* parts(bytes: Buffer): Iterable<Buffer> {
  let moved = 0;
  for (let at = 0; at < bytes.length;) {
    let start = at;
    if (bytes.length - at < 8) throw broken();
    if (bytes.readUInt32LE(at) >>> 4 === SKIPPED) {
      at += 8 + bytes.readUInt32LE(at + 4);
      if (at > bytes.length) throw broken();
      yield bytes.subarray(start, at);
      continue;
    }
    const { head, window, checksum } = readHead(bytes, at);
    if (window > MAX_WINDOW_BYTES)
      throw new InvalidRequest('The zstd window of the request body is too wide');
    at += head;
    for (let isLast = false; !isLast; start = at) {
      if (at + 3 > bytes.length) throw broken();
      const block = bytes.readUIntLE(at, 3);
      isLast = (block & 1) === 1;
      // A run-length block has one byte.
      at += 3 + (((block >> 1) & 3) === 1 ? 1 : block >> 3) + (isLast ? checksum : 0);
      moved += window + MAX_BLOCK_BYTES;
      if (at > bytes.length) throw broken();
      if (moved > MAX_MOVED_BYTES) throw new InvalidRequest('The request body has too many zstd blocks');
      yield bytes.subarray(start, at);
    }
  }
}

/** Length and fields of a frame header (RFC 8878 §3.1.1.1). */
function readHead(bytes: Buffer, at: number): { head: number; window: number; checksum: number } {
  if (bytes.readUInt32LE(at) !== FRAME) throw broken();
  const flags = bytes[at + 4]!;
  const isSingle = (flags >> 5) & 1;
  const dictionary = [0, 1, 2, 4][flags & 3]!;
  const sizeBytes = flags >> 6 === 0 ? isSingle : 1 << (flags >> 6);
  const head = 6 - isSingle + dictionary + sizeBytes;
  if (at + head > bytes.length) throw broken();
  const descriptor = bytes[at + 5]!;
  const base = 2 ** (10 + (descriptor >> 3));
  const size = at + head - sizeBytes;
  const content =
    sizeBytes === 8
      ? Number(bytes.readBigUInt64LE(size))
      : sizeBytes > 0
        ? bytes.readUIntLE(size, sizeBytes)
        : 0;
  return {
    head,
    window: isSingle ? content : base + (base / 8) * (descriptor & 7),
    checksum: (flags >> 2) & 1 ? 4 : 0,
  };
}
