import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { link, lstat, mkdir, rm, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { defineError, TooLarge } from '../../platform/errors.ts';
import { isUuid } from '../../platform/ids.ts';
import type { BuildFolders } from '../build-folders.ts';
import { objectPath, type Upload } from './upload-token.ts';

const NotAnArchive = defineError('NotAnArchive', 422, () => 'The body is not a .tar.gz archive');
const UploadedBefore = defineError(
  'UploadedBefore',
  409,
  () => 'A different archive was already uploaded to this URL',
);

const OtherArchive = defineError('OtherArchive', 422, () => 'The body does not match the announced sha256');

const GZIP = [0x1f, 0x8b];
const PATH = /^uploads\/([^/]+)\/([^/]+)\.tar\.gz$/;

/**
 * Stores an archive atomically; uploading the same bytes again is allowed. Throws TooLarge beyond `limit` bytes,
 * NotAnArchive, OtherArchive, UploadedBefore.
 */
export async function storeUpload(
  { root }: BuildFolders,
  upload: Upload,
  body: Readable,
  limit: number,
): Promise<void> {
  const file = join(root, objectPath(upload));
  const partial = `${file}.${randomUUID()}`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  try {
    // A refused request still gets its response, so the connection stays open.
    const chunks = body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
    await pipeline(checked(chunks, limit), createWriteStream(partial));
    if (upload.sha256 && (await digestOf(partial)).toString('hex') !== upload.sha256)
      throw new OtherArchive();
    await link(partial, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (!(await digestOf(file)).equals(await digestOf(partial))) throw new UploadedBefore();
    // Restarts its retention.
    await utimes(file, new Date(), new Date());
  } finally {
    await rm(partial, { force: true });
  }
}

async function* checked(chunks: AsyncIterable<Buffer>, limit: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of chunks) {
    for (let at = 0; size + at < GZIP.length && at < chunk.length; at++)
      if (chunk[at] !== GZIP[size + at]) throw new NotAnArchive();
    size += chunk.length;
    if (size > limit) throw new TooLarge(limit);
    yield chunk;
  }
  if (size < GZIP.length) throw new NotAnArchive();
}

/** Path of an uploaded archive; undefined unless it was issued for this deployment and uploaded. */
export async function uploadedArchive(
  { root }: BuildFolders,
  deploymentId: string,
  path: unknown,
): Promise<string | undefined> {
  const [, deployment_id, upload_id] = (typeof path === 'string' && PATH.exec(path)) || [];
  if (deployment_id !== deploymentId || !upload_id || !isUuid(upload_id)) return undefined;
  const file = join(root, objectPath({ deployment_id, upload_id }));
  return (await lstat(file).catch(() => undefined))?.isFile() ? file : undefined;
}

async function digestOf(file: string): Promise<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest();
}
