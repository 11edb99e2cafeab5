import { homedir } from 'node:os';
import { join } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Per-user download cache, shared by all data directories. */
export function userCacheDir(env: Environment): string {
  const home = env.HOME ?? homedir();
  if (process.platform === 'darwin') return join(home, 'Library', 'Caches', 'slipway');
  if (process.platform === 'win32')
    return join(env.LOCALAPPDATA ?? join(home, 'AppData', 'Local'), 'slipway', 'cache');
  return join(env.XDG_CACHE_HOME || join(home, '.cache'), 'slipway');
}

/** Cache for files that root stores and other users must read. */
export function sharedCacheDir(): string {
  return process.platform === 'darwin' ? '/Library/Caches/slipway' : '/var/cache/slipway';
}
