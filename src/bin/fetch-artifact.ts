import { mkdir } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { extract } from 'tar';
import { artifactAddress } from '../control-plane/builds/artifact-store.ts';

const ATTEMPTS = 5;
const BETWEEN_MS = 1_000;
const FETCH_MS = 300_000;

/**
 * Fetches an artifact from the platform and verifies it. Throws a line for the pod's log. Retries failures, not
 * refusals.
 */
export async function fetchArtifact({ artifact, into }: { artifact: string; into: string }): Promise<void> {
  const url = process.env['SLIPWAY_ARTIFACT_URL'];
  if (!url) throw new Error('SLIPWAY_ARTIFACT_URL is not set');
  await mkdir(into, { recursive: true });
  for (let attempt = 1; ; attempt++) {
    try {
      await download(url, into);
      break;
    } catch (error) {
      if (attempt === ATTEMPTS || error instanceof Refused) throw error;
      console.error(`the artifact could not be fetched: ${(error as Error).message}; retrying`);
      await sleep(attempt * BETWEEN_MS);
    }
  }
  const found = await artifactAddress(into);
  if (found !== artifact) throw new Error(`the downloaded artifact is ${found} instead of ${artifact}`);
}

class Refused extends Error {}

async function download(url: string, into: string): Promise<void> {
  const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_MS) });
  if (response.status >= 400 && response.status < 500)
    throw new Refused(`the platform refused the artifact: ${response.status} ${await response.text()}`);
  if (!response.ok || !response.body) throw new Error(`the platform returned ${response.status}`);
  // Keeps links as built, wherever they lead: the digest covers their targets.
  await pipeline(
    Readable.fromWeb(response.body),
    extract({ cwd: into, preservePaths: true, preserveOwner: false }),
  );
}
