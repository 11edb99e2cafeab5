import type { IncomingMessage } from 'node:http';
import { answer, type RegistryExchange } from './exchange.ts';
import { findManifest, listTags, putManifest, removeTag } from './manifest-store.ts';
import { DIGEST, TAG } from './registry-address.ts';
import { RegistryError } from './registry-error.ts';

// The specification's minimum; real manifests are smaller.
const MANIFEST_BYTES = 4 * 1024 * 1024;
const MOST_TAGS = 1_000;

/** GET and HEAD of a manifest. */
export async function getManifest({
  request,
  response,
  folders,
  repository,
  reference,
}: RegistryExchange): Promise<void> {
  const found = await findManifest(folders, repository.name, reference);
  if (!found)
    throw new RegistryError('MANIFEST_UNKNOWN', `There is no image ${reference} in ${repository.name}`);
  response.writeHead(200, {
    'content-type': found.mediaType,
    'content-length': String(found.bytes.length),
    'docker-content-digest': found.digest,
    etag: `"${found.digest}"`,
  });
  response.end(request.method === 'HEAD' ? undefined : found.bytes);
}

/** PUT of a manifest, to a tag or to its digest. */
export async function putManifestTo({
  request,
  response,
  folders,
  repository,
  reference,
}: RegistryExchange): Promise<void> {
  const contentType = (request.headers['content-type'] ?? '').split(';')[0]!.trim();
  const bytes = await readBytes(request);
  const digest = await putManifest(folders, repository.name, reference, { bytes, contentType });
  answer(response, 201, {
    location: `/v2/${repository.name}/manifests/${digest}`,
    'docker-content-digest': digest,
  });
}

/** DELETE of a tag. Digests stay, because a revision may be redeployed; the sweep removes unused ones. */
export async function deleteTag({
  response,
  folders,
  repository,
  reference,
}: RegistryExchange): Promise<void> {
  if (DIGEST.test(reference))
    throw new RegistryError(
      'UNSUPPORTED',
      'Only tags can be deleted; unused images are removed automatically',
    );
  if (!TAG.test(reference) || !(await removeTag(folders, repository.name, reference)))
    throw new RegistryError('MANIFEST_UNKNOWN', `There is no tag ${reference} in ${repository.name}`);
  answer(response, 202);
}

/** GET of the tags, `n` of them after `last`. */
export async function getTags({ response, folders, repository, query }: RegistryExchange): Promise<void> {
  const all = await listTags(folders, repository.name);
  if (!all) throw new RegistryError('NAME_UNKNOWN', `${repository.name} has no images`);
  const last = query.get('last');
  const n = /^\d{1,6}$/.test(query.get('n') ?? '') ? Number(query.get('n')) : MOST_TAGS;
  const rest = last === null ? all : all.filter((tag) => tag > last);
  const tags = rest.slice(0, Math.min(n, MOST_TAGS));
  const more = tags.length > 0 && tags.length < rest.length;
  const next = `</v2/${repository.name}/tags/list?n=${n}&last=${tags.at(-1)}>; rel="next"`;
  answer(response, 200, more ? { link: next } : {}, { name: repository.name, tags });
}

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MANIFEST_BYTES)
      throw new RegistryError('SIZE_INVALID', `A manifest is limited to ${MANIFEST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
