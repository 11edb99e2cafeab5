import type Docker from 'dockerode';
import { StartFailed } from '../../errors.ts';
import type { PullCredential } from '../../registry/registry-logins.ts';
import { unlessMissing } from './docker-engine.ts';

// Set by our Dockerfile, and inherited by images that are built on it.
const HOLDS_HOSTS = 'slipway.host';

/** Whether an image is built on ours: its entrypoint then runs graph hosts for a server elsewhere. */
export async function holdsHosts(docker: Docker, image: string): Promise<boolean> {
  const { Config } = await docker.getImage(image).inspect();
  return Config.Labels?.[HOLDS_HOSTS] === 'true';
}

/**
 * Pulls an image unless the engine has it. Returns a name that stays the same when the tag moves: with the digest, or
 * the id if no registry has the image. Throws StartFailed.
 */
export async function pinImage(
  docker: Docker,
  uri: string,
  credential: PullCredential | undefined,
  signal?: AbortSignal,
): Promise<string> {
  const isPinned = uri.includes('sha256:');
  const here = await unlessMissing(docker.getImage(uri).inspect());
  if (here && isPinned) return uri;
  const failure = await pull(docker, uri, credential, signal).then(
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

async function pull(
  docker: Docker,
  uri: string,
  credential?: PullCredential,
  signal?: AbortSignal,
): Promise<void> {
  const progress = await docker.pull(uri, {
    ...(credential && { authconfig: credential }),
    ...(signal && { abortSignal: signal }),
  });
  await new Promise<void>((resolve, reject) => {
    docker.modem.followProgress(progress, (error) => (error ? reject(error) : resolve()));
  });
}
