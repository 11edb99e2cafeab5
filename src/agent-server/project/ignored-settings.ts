import { basename } from 'node:path';
import type { ProjectFile } from './project-config.ts';

/** A warning for each setting of the project that has no effect here. */
export function ignoredSettings({ file, config }: ProjectFile): string[] {
  const { path, backend = 'default' } = config.checkpointer ?? {};
  const names = [path !== undefined && 'path', backend !== 'default' && 'backend'].filter(Boolean);
  return names.map(
    (name) =>
      `${basename(file)}: checkpointer.${name} is ignored; checkpoints are stored in the server's Postgres`,
  );
}
