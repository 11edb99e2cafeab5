import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants, inflateRaw } from 'node:zlib';

const compress = promisify(brotliCompress);
const DECODERS = { deflate: promisify(inflateRaw), brotli: promisify(brotliDecompress) };

/** How a block is compressed; the first ones were deflated. */
export type BlockEncoding = keyof typeof DECODERS;

/** Of what is written now. */
export const ENCODING: BlockEncoding = 'brotli';
// Compresses better than gzip at its best and takes half the time; what was said before is found as far back as a block goes.
const QUALITY = 4;
const WINDOW_BITS = 20;
// Smaller ones are no chunk to zlib.
const LEAST_CHUNK = 64;

export const encodeBlock = (bytes: Buffer): Promise<Buffer> =>
  compress(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    },
  });

/** `size` is that of the block, where it is known: it is then made in one piece. */
export const decodeBlock = (encoding: BlockEncoding, bytes: Buffer, size?: number | null): Promise<Buffer> =>
  DECODERS[encoding](bytes, size ? { chunkSize: Math.max(size, LEAST_CHUNK) } : {});
