import { randomInt } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { rememberPorts } from '../../src/platform/embedded/ports.ts';

/**
 * Starts the services of a new data directory on ports that no other test uses: other tests start services too, and
 * would take theirs while they are down.
 */
export async function ownPorts(dataDir: string): Promise<void> {
  const first = 10_000 + 10 * randomInt(400);
  await mkdir(join(dataDir, 'run'), { recursive: true });
  await rememberPorts(dataDir, 'postgres', { postgres: first });
  await rememberPorts(dataDir, 'temporal', { temporal: first + 1, temporalUi: first + 2 });
}
