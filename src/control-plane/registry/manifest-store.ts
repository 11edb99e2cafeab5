import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findBlob } from './blob-store.ts';
import type { ImageFolders } from './image-folders.ts';
import { type Manifest, readManifest } from './manifest.ts';
import { DIGEST, TAG } from './registry-address.ts';
import { RegistryError } from './registry-error.ts';

export interface StoredManifest extends Manifest {
  digest: string;
  bytes: Buffer;
}

/** Finds a manifest by tag or digest. */
export async function findManifest(
  folders: ImageFolders,
  repository: string,
  reference: string,
): Promise<StoredManifest | undefined> {
  const digest = DIGEST.test(reference) ? reference : await findTag(folders, repository, reference);
  const bytes = digest && (await readFile(folders.manifest(digest)).catch(() => undefined));
  return bytes ? { digest, bytes, ...readManifest(bytes) } : undefined;
}

async function findTag(folders: ImageFolders, repository: string, tag: string): Promise<string | undefined> {
  if (!TAG.test(tag)) return undefined;
  return readFile(join(folders.tags(repository), tag), 'utf8').catch(() => undefined);
}

/** Stores a manifest under its digest and tag once all its parts exist. Throws RegistryError. */
export async function putManifest(
  folders: ImageFolders,
  repository: string,
  reference: string,
  { bytes, contentType }: { bytes: Buffer; contentType: string },
): Promise<string> {
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  if (!TAG.test(reference) && reference !== digest)
    throw new RegistryError('DIGEST_INVALID', `The manifest's digest is ${digest}`);
  const { blobs, manifests } = readManifest(bytes, contentType);
  for (const blob of blobs) if ((await findBlob(folders, blob)) === undefined) throw missing(blob);
  for (const child of manifests)
    if (!(await stat(folders.manifest(child)).catch(() => undefined))) throw missing(child);
  await folders.make();
  await replace(folders.manifest(digest), bytes, folders.uploads);
  if (reference !== digest) {
    await mkdir(folders.tags(repository), { recursive: true });
    await replace(join(folders.tags(repository), reference), digest, folders.uploads);
  }
  return digest;
}

/** In byte order; undefined for an unknown repository. */
export async function listTags(folders: ImageFolders, repository: string): Promise<string[] | undefined> {
  const tags = await readdir(folders.tags(repository)).catch(() => undefined);
  // Byte order, independent of locale.
  return tags?.sort((a, b) => (a < b ? -1 : 1));
}

/** False if there was no such tag. */
export async function removeTag(folders: ImageFolders, repository: string, tag: string): Promise<boolean> {
  const file = join(folders.tags(repository), tag);
  return rm(file).then(
    () => true,
    () => false,
  );
}

async function replace(file: string, content: Buffer | string, aside: string): Promise<void> {
  const draft = join(aside, `${randomUUID()}.draft`);
  await writeFile(draft, content, { flush: true });
  await rename(draft, file);
}

const missing = (digest: string) =>
  new RegistryError('MANIFEST_BLOB_UNKNOWN', `${digest} was not pushed to this deployment`);
