import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants, inflateRaw } from 'node:zlib';

const compress = promisify(brotliCompress);
const DECODERS = { deflate: promisify(inflateRaw), brotli: promisify(brotliDecompress) };

/** Compression of a block. Older blocks use deflate. */
export type BlockEncoding = keyof typeof DECODERS;

/** Encoding of new blocks. */
export const ENCODING: BlockEncoding = 'brotli';
// Compresses better than gzip's best level in half the time. The window spans a whole block.
const QUALITY = 4;
const WINDOW_BITS = 20;
// The smallest chunk size that zlib accepts.
const MIN_CHUNK = 64;

export const encodeBlock = (bytes: Buffer): Promise<Buffer> =>
  compress(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    },
  });

/** `size` is the decoded size if known, which allows a single allocation. */
export const decodeBlock = (encoding: BlockEncoding, bytes: Buffer, size?: number | null): Promise<Buffer> =>
  DECODERS[encoding](bytes, size ? { chunkSize: Math.max(size, MIN_CHUNK) } : {});
