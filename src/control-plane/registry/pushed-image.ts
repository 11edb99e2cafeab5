import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { invalidField } from '../errors.ts';
import type { RevisionRow } from '../records/revision.ts';
import { ImageFolders } from './image-folders.ts';
import { findManifest } from './manifest-store.ts';
import { loginFor, type PullCredential } from './registry-logins.ts';
import { readRepository, registryHost } from './registry-address.ts';
import { issueRegistryToken } from './registry-token.ts';

type Config = ControlPlaneDeps['config'];

const LOC = ['body', 'source_revision_config', 'image_uri'];
const REFERENCE = /^([^/]+)\/([^@:]+)(?::([^@/]+))?(?:@(.+))?$/;

/** Repository of a deployment's images, host and path, without the name a client appends. */
export function repositoryOf(config: Config, { id, tenant_id }: { id: string; tenant_id: string }): string {
  const { SLIPWAY_REGISTRY_URL: configured } = config;
  return configured ? `${configured.replace(/\/+$/, '')}/${tenant_id}` : `${registryHost(config)}/d/${id}`;
}

/**
 * Pins a pushed image by digest, because tags move. For an external registry only the repository is checked. Throws
 * InvalidFields.
 */
export async function pinImage(
  config: Config,
  deployment: { id: string; tenant_id: string },
  image: unknown,
): Promise<string> {
  const place = repositoryOf(config, deployment);
  if (typeof image !== 'string') throw invalidField(LOC, `Push an image to ${place} first`, 'missing');
  if (config.SLIPWAY_REGISTRY_URL) {
    if (image.startsWith(`${place}/`)) return image;
    throw invalidField(LOC, `The image is not in ${place}, the repository of this deployment`);
  }
  const [, host, name, tag, digest] = REFERENCE.exec(image) ?? [];
  const repository = readRepository(name ?? '');
  if (host !== registryHost(config) || repository?.deployment_id !== deployment.id)
    throw invalidField(LOC, `The image is not in ${place}, the repository of this deployment`);
  const folders = new ImageFolders(config.SLIPWAY_DATA_DIR, deployment.id);
  const found = await findManifest(folders, repository.name, digest ?? tag ?? 'latest');
  if (!found) throw invalidField(LOC, `There is no such image: ${image} was not pushed`);
  return `${host}/${repository.name}@${found.digest}`;
}

/** An image with its pull credential, if the registry requires one. */
export interface PulledImage {
  image: string;
  credential?: PullCredential;
}

/**
 * The image of a revision, and a credential valid for `seconds`, or for the deployment's lifetime; without a
 * credential the pull is anonymous. Throws StartFailed.
 */
export async function imageToPull(
  { config, box }: Pick<ControlPlaneDeps, 'config' | 'box'>,
  { source, deployment_id, image }: Pick<RevisionRow, 'source' | 'deployment_id'> & { image: string },
  seconds?: number,
): Promise<PulledImage> {
  const { SLIPWAY_REGISTRY_URL: configured, SLIPWAY_REGISTRY_PASSWORD: password } = config;
  const username = config.SLIPWAY_REGISTRY_USERNAME;
  const isPushed = source === 'internal_container';
  if (isPushed && configured && password)
    return { image, credential: { username, password, serveraddress: image.split('/')[0]! } };
  if (!isPushed || configured) {
    const credential = await loginFor(config, image);
    return { image, ...(credential && { credential }) };
  }
  // The platform's address may have changed since the push.
  const serveraddress = registryHost(config);
  const expires_at = seconds === undefined ? null : Date.now() + seconds * 1000;
  const token = issueRegistryToken(box, { deployment_id, can: 'pull', expires_at });
  return {
    image: image.replace(/^[^/]+/, serveraddress),
    credential: { username, password: token, serveraddress },
  };
}
