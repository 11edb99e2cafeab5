import { appendFile, readFile } from 'node:fs/promises';
import type { Sandbox } from './sandbox.ts';

const HOST_KEY = /^\S+ [\w@.-]+ [\w+/=]+$/;

/** The name a server is known by in known_hosts, as `ssh-keyscan -p` prints it. */
export const hostAlias = (host: string, port: string): string => (port === '22' ? host : `[${host}]:${port}`);

/** The keys of a server that an earlier contact has kept. */
export async function knownKeys(file: string, alias: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${alias} `))
    .join('\n');
}

/**
 * Keeps the keys that ssh found at the first contact. Reads the file as the build's user, as root must not follow what
 * a build may have put in its place. Keeps only keys of that server, so that no build can set another server's key.
 */
export async function keepKeys(
  file: string,
  alias: string,
  { sandbox, folder }: { sandbox: Sandbox; folder: string },
): Promise<void> {
  const found: string[] = [];
  await sandbox.runProgram({
    command: ['sh', '-c', 'head -n 20 "$CACHE/known_hosts"'],
    cache: folder,
    environment: () => ({ PATH: '/usr/bin:/bin' }),
    onLine: (line) => void (line.startsWith(`${alias} `) && HOST_KEY.test(line) && found.push(line)),
  });
  if (found.length > 0 && (await knownKeys(file, alias)) === '')
    await appendFile(file, found.map((line) => `${line}\n`).join(''), { mode: 0o600 });
}
