import type Docker from 'dockerode';
import { StartFailed } from '../../errors.ts';
import type { PullCredential } from '../../registry/registry-logins.ts';
import { unlessMissing } from './docker-engine.ts';

/**
 * Makes sure that the engine has an image; returns the name that means this very one from now on: by digest, or by its
 * id where no registry knows it. Throws StartFailed when it cannot be had.
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
