import type Docker from 'dockerode';
import type { AuthConfig } from 'dockerode';
import type { ControlPlaneSettings } from '../../control-plane-settings.ts';
import { StartFailed } from '../../errors.ts';
import { unlessMissing } from './docker-engine.ts';

type Registry = Pick<
  ControlPlaneSettings,
  'SLIPWAY_REGISTRY_URL' | 'SLIPWAY_REGISTRY_USERNAME' | 'SLIPWAY_REGISTRY_PASSWORD'
>;

/**
 * Makes sure that the engine has an image; returns the name that means this very one from now on: by digest, or by its
 * id where no registry knows it. Throws StartFailed when it cannot be had.
 */
export async function pinImage(
  docker: Docker,
  uri: string,
  registry: Registry,
  signal?: AbortSignal,
): Promise<string> {
  const isPinned = uri.includes('sha256:');
  const here = await unlessMissing(docker.getImage(uri).inspect());
  if (here && isPinned) return uri;
  const failure = await pull(docker, uri, registry, signal).then(
    () => undefined,
    (error: Error) => error,
  );
  signal?.throwIfAborted();
  if (failure && !here) throw new StartFailed(`the image ${uri} cannot be pulled: ${failure.message}`);
  if (isPinned) return uri;
  const { RepoDigests, Id } = await docker.getImage(uri).inspect();
  const repository = uri.replace(/:[^/:]*$/, '');
  return RepoDigests?.find((digest) => digest.startsWith(`${repository}@`)) ?? RepoDigests?.[0] ?? Id;
}

async function pull(docker: Docker, uri: string, registry: Registry, signal?: AbortSignal): Promise<void> {
  const authconfig = credentialsFor(uri, registry);
  const progress = await docker.pull(uri, {
    ...(authconfig && { authconfig }),
    ...(signal && { abortSignal: signal }),
  });
  await new Promise<void>((resolve, reject) => {
    docker.modem.followProgress(progress, (error) => (error ? reject(error) : resolve()));
  });
}

/** Those of the registry the platform has, for images that are in it. */
function credentialsFor(uri: string, registry: Registry): AuthConfig | undefined {
  const { SLIPWAY_REGISTRY_URL: url, SLIPWAY_REGISTRY_USERNAME: username } = registry;
  const password = registry.SLIPWAY_REGISTRY_PASSWORD;
  const [host] = url?.split('/') ?? [];
  if (!host || !password || !uri.startsWith(`${host}/`)) return undefined;
  return { username, password, serveraddress: host };
}
