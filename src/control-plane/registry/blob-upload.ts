import { createHash, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { LRUCache } from 'lru-cache';
import { isUuid, uuid7 } from '../../platform/ids.ts';
import { adoptBlob } from './blob-store.ts';
import type { ImageFolders } from './image-folders.ts';
import { RegistryError } from './registry-error.ts';

export interface UploadLimits {
  /** Largest blob, in bytes. */
  blob: number;
  /** Most bytes of images per deployment. */
  deployment: number;
}

/** Part of a blob, at the position of its `content-range` if given. */
export interface Chunk {
  body: Readable;
  range?: { start: number; end: number } | undefined;
}

const MOST_AT_ONCE = 100;
const LOOK_AGAIN_BYTES = 64 * 1024 * 1024;

/**
 * Unfinished uploads. Each is a file, so it continues after a lost connection and on any process with the folder. The
 * file is renamed while someone writes, so that two never do.
 */
export class BlobUploads {
  readonly #limits: UploadLimits;
  // Running hashes of uploads through this process; others are read again when complete.
  readonly #hashes = new LRUCache<string, { hash: Hash; size: number }>({ max: 1_000 });

  constructor(limits: UploadLimits) {
    this.#limits = limits;
  }

  /** Throws RegistryError above the size limit or with too many uploads. */
  async begin(folders: ImageFolders): Promise<string> {
    await folders.make();
    if ((await readdir(folders.uploads)).length >= MOST_AT_ONCE)
      throw new RegistryError(
        'TOOMANYREQUESTS',
        `${MOST_AT_ONCE} uploads of this deployment are in progress`,
      );
    await this.#checkRoom(folders, 0);
    const id = uuid7();
    await writeFile(join(folders.uploads, id), '', { flag: 'wx' });
    return id;
  }

  /** Bytes received. Throws RegistryError for an unknown upload. */
  async size(folders: ImageFolders, id: string): Promise<number> {
    for (const name of isUuid(id) ? [id, `${id}.busy`] : []) {
      const found = await stat(join(folders.uploads, name)).catch(() => undefined);
      if (found) return found.size;
    }
    throw new RegistryError('BLOB_UPLOAD_UNKNOWN', 'Unknown upload');
  }

  /** Appends a chunk; returns the bytes received. Throws RegistryError. */
  append(folders: ImageFolders, id: string, chunk: Chunk): Promise<number> {
    return this.#hold(folders, id, (file) => this.#write(folders, { id, file }, chunk));
  }

  /** Appends the last chunk, possibly empty, and stores the blob under its digest. Throws RegistryError. */
  async finish(folders: ImageFolders, id: string, chunk: Chunk, digest: string): Promise<void> {
    await this.#hold(folders, id, async (file) => {
      const size = await this.#write(folders, { id, file }, chunk);
      const known = this.#hashes.get(id);
      const hash = known?.size === size ? known.hash : await hashOf(file);
      this.#hashes.delete(id);
      const is = `sha256:${hash.digest('hex')}`;
      if (is === digest) return adoptBlob(folders, file, digest);
      throw new RegistryError('DIGEST_INVALID', `The digest of the upload is ${is}`);
    });
  }

  async cancel(folders: ImageFolders, id: string): Promise<void> {
    await this.size(folders, id);
    this.#hashes.delete(id);
    for (const name of [id, `${id}.busy`]) await rm(join(folders.uploads, name), { force: true });
  }

  async #hold<Result>(
    folders: ImageFolders,
    id: string,
    act: (file: string) => Promise<Result>,
  ): Promise<Result> {
    await this.size(folders, id);
    const file = join(folders.uploads, id);
    const busy = `${file}.busy`;
    await rename(file, busy).catch(() => {
      throw new RegistryError('TOOMANYREQUESTS', 'This upload is in progress on another connection');
    });
    try {
      return await act(busy);
    } catch (error) {
      // More chunks can't fix these, so it frees the space.
      if (error instanceof RegistryError && /^(DENIED|SIZE_INVALID|DIGEST_INVALID)$/.test(error.code))
        await rm(busy, { force: true });
      throw error;
    } finally {
      // Missing if it became a blob or failed verification.
      await rename(busy, file).catch(() => {});
    }
  }

  async #write(
    folders: ImageFolders,
    { id, file }: { id: string; file: string },
    { body, range }: Chunk,
  ): Promise<number> {
    const { size: before } = await stat(file);
    if (range && range.start !== before)
      throw new RegistryError('RANGE_INVALID', `The next byte is ${before}`, {
        range: `0-${Math.max(0, before - 1)}`,
      });
    await this.#checkRoom(folders, 0);
    const known = this.#hashes.get(id);
    const hash = known?.size === before ? known.hash : before === 0 ? createHash('sha256') : undefined;
    this.#hashes.delete(id);
    // A refused request still gets its response, so the connection stays open.
    const chunks = body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
    await pipeline(
      this.#bounded(folders, chunks, before, hash),
      createWriteStream(file, { flags: 'a', flush: true }),
    );
    const { size } = await stat(file);
    if (range && size !== range.end + 1) {
      await truncate(file, before);
      throw new RegistryError(
        'BLOB_UPLOAD_INVALID',
        'The length of the chunk differs from its content-range',
      );
    }
    if (hash) this.#hashes.set(id, { hash, size });
    return size;
  }

  async *#bounded(
    folders: ImageFolders,
    chunks: AsyncIterable<Buffer>,
    before: number,
    hash: Hash | undefined,
  ): AsyncGenerator<Buffer> {
    let size = before;
    let looked = before;
    for await (const chunk of chunks) {
      size += chunk.length;
      if (size > this.#limits.blob)
        throw new RegistryError('SIZE_INVALID', `A layer is limited to ${this.#limits.blob} bytes`);
      if (size - looked > LOOK_AGAIN_BYTES) {
        await this.#checkRoom(folders, chunk.length);
        looked = size;
      }
      hash?.update(chunk);
      yield chunk;
    }
  }

  async #checkRoom(folders: ImageFolders, more: number): Promise<void> {
    if ((await folders.used()) + more > this.#limits.deployment)
      throw new RegistryError(
        'DENIED',
        `The images of this deployment exceed ${this.#limits.deployment} bytes`,
      );
  }
}

async function hashOf(file: string): Promise<Hash> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash;
}
