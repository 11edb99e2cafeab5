import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { invalidField } from '../errors.ts';
import type { RevisionRow } from '../revisions/revision.ts';
import { ImageFolders } from './image-folders.ts';
import { findManifest } from './manifest-store.ts';
import { loginFor, type PullCredential } from './registry-logins.ts';
import { readRepository, registryHost } from './registry-address.ts';
import { issueRegistryToken } from './registry-token.ts';

type Config = ControlPlaneDeps['config'];

const LOC = ['body', 'source_revision_config', 'image_uri'];
const REFERENCE = /^([^/]+)\/([^@:]+)(?::([^@/]+))?(?:@(.+))?$/;

/** Where the images of a deployment are, without the name that a client adds: host and path. */
export function repositoryOf(config: Config, { id, tenant_id }: { id: string; tenant_id: string }): string {
  const { SLIPWAY_REGISTRY_URL: configured } = config;
  return configured ? `${configured.replace(/\/+$/, '')}/${tenant_id}` : `${registryHost(config)}/d/${id}`;
}

/**
 * The image of a revision as it is kept: what was pushed to this deployment, by its digest; a tag may be another image
 * tomorrow. In a registry of somebody else's only the place can be checked. Throws InvalidFields.
 */
export async function pinImage(
  config: Config,
  deployment: { id: string; tenant_id: string },
  image: unknown,
): Promise<string> {
  const place = repositoryOf(config, deployment);
  if (typeof image !== 'string')
    throw invalidField(LOC, `Push an image to ${place} first, and name it here`, 'missing');
  if (config.SLIPWAY_REGISTRY_URL) {
    if (image.startsWith(`${place}/`)) return image;
    throw invalidField(LOC, `The image is not in ${place}, where images of this deployment are pushed to`);
  }
  const [, host, name, tag, digest] = REFERENCE.exec(image) ?? [];
  const repository = readRepository(name ?? '');
  if (host !== registryHost(config) || repository?.deployment_id !== deployment.id)
    throw invalidField(LOC, `The image is not in ${place}, where images of this deployment are pushed to`);
  const folders = new ImageFolders(config.SLIPWAY_DATA_DIR, deployment.id);
  const found = await findManifest(folders, repository.name, digest ?? tag ?? 'latest');
  if (!found) throw invalidField(LOC, `There is no such image: ${image} was not pushed`);
  return `${host}/${repository.name}@${found.digest}`;
}

/** An image, and what it is fetched with where its registry asks who that is. */
export interface PulledImage {
  image: string;
  credential?: PullCredential;
}

/**
 * The image a driver runs for a revision, and what it is fetched with; without a credential, as anybody may. `seconds`
 * is how long the credential is good: as long as the deployment is there when it is not given. Throws StartFailed.
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
  // The platform may have moved since the image was pushed.
  const serveraddress = registryHost(config);
  const expires_at = seconds === undefined ? null : Date.now() + seconds * 1000;
  const token = issueRegistryToken(box, { deployment_id, can: 'pull', expires_at });
  return {
    image: image.replace(/^[^/]+/, serveraddress),
    credential: { username, password: token, serveraddress },
  };
}
