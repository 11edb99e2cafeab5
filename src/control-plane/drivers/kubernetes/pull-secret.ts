import type { V1Secret } from '@kubernetes/client-node';
import { StartFailed } from '../../errors.ts';
import { imageToPull, type PulledImage } from '../../registry/pushed-image.ts';
import type { PullCredential } from '../../registry/registry-logins.ts';
import type { RevisionRow } from '../../records/revision.ts';

/**
 * The image of a revision, pinned by digest; undefined for a project, which runs on our image. Pods may be created at any
 * time, so its credential is valid as long as the deployment exists. Throws StartFailed.
 */
export async function pulledImage(
  options: Parameters<typeof imageToPull>[0],
  revision: RevisionRow,
): Promise<PulledImage | undefined> {
  const { artifact, source_revision_config } = revision;
  if (artifact?.startsWith('sha256:')) return undefined;
  const image = artifact ?? source_revision_config['image_uri'];
  if (typeof image !== 'string') throw new StartFailed('nothing of it was built, and it names no image');
  return imageToPull(options, { ...revision, image });
}

/** The same as `kubectl create secret docker-registry` creates. */
export function pullSecret(
  metadata: NonNullable<V1Secret['metadata']>,
  { serveraddress, username, password }: PullCredential,
) {
  const auth = Buffer.from(`${username}:${password}`).toString('base64');
  const config = JSON.stringify({ auths: { [serveraddress]: { username, password, auth } } });
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata,
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': Buffer.from(config).toString('base64') },
  };
}
