import { type FSWatcher, lstatSync, readdirSync, realpathSync, watch } from 'node:fs';
import { join, sep } from 'node:path';

/**
 * Reports changes below a folder by path; returns a stop function. Watches folders one by one: on Linux, Node's
 * recursive watcher watches files, and keeps watching one that an editor has replaced.
 */
export function watchFolder(folder: string, ignored: RegExp, changed: (path: string) => void): () => void {
  const root = realpathSync(folder);
  const watchers = new Map<string, FSWatcher>();

  const add = (below: string): void => {
    const path = join(root, below);
    if (ignored.test(below) || !lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
    try {
      const watcher = watch(path, (event, name) => noticed(event, join(below, name ?? '')));
      watchers.set(below, watcher);
      watcher.on('error', () => remove(below));
      for (const name of readdirSync(path)) add(join(below, name));
    } catch (error) {
      // The parent folder reports the removal.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      remove(below);
    }
  };
  const remove = (below: string): void => {
    for (const [path, watcher] of watchers)
      if (path === below || path.startsWith(below + sep)) {
        watcher.close();
        watchers.delete(path);
      }
  };
  const noticed = (event: string, below: string): void => {
    if (ignored.test(below)) return;
    if (event === 'rename') {
      remove(below);
      add(below);
    }
    changed(below);
  };
  add('');
  return () => {
    for (const watcher of watchers.values()) watcher.close();
  };
}
