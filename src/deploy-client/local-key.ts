import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { isLoopback } from '../platform/network-address.ts';

const DATA_DIR = '.slipway';
const KEY_FILE = 'api-key';

/** Records, for this user, where the platform on a port keeps its key, so that commands in other folders find it. */
export function rememberKeyFile(port: string, keyFile: string, env: NodeJS.ProcessEnv): void {
  const folder = recordsOf(env);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, port), `${resolve(keyFile)}\n`, { mode: 0o600 });
  } catch {
    // Without a home, commands need SLIPWAY_API_KEY.
  }
}

/** The key of a platform that runs on this machine; undefined for other platforms, and if this user can't read it. */
export function findLocalKey(address: string, env: NodeJS.ProcessEnv): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { hostname, port, protocol } = new URL(address);
  if (!isLoopback(hostname.replace(/^\[(.*)\]$/, '$1'))) return undefined;
  const record = join(recordsOf(env), port || (protocol === 'https:' ? '443' : '80'));
  const files = [readText(record), join(env['SLIPWAY_DATA_DIR'] || DATA_DIR, KEY_FILE)];
  return files.map((file) => file && readText(file)).find(Boolean);
}

const recordsOf = (env: NodeJS.ProcessEnv): string =>
  join(env['XDG_STATE_HOME'] || join(homedir(), '.local/state'), 'slipway/platforms');

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}
