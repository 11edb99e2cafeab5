import { readFileSync, realpathSync } from 'node:fs';
import { basename, resolve, sep } from 'node:path';
import { parseEnv } from 'node:util';
import { InvalidProject } from '../../graph-protocol/invalid-project.ts';
import type { ProjectFile } from './project-config.ts';

/**
 * Loads the project's `env` into the environment without overriding variables already set. `env` is a file, an
 * object, or a list of names that must be set. A missing file is only a warning, since it is usually not in the
 * repository or the image; on a platform, which sets the variables itself, it isn't even that. Rejects files outside
 * `within`, the project's folder on a platform. Throws InvalidProject.
 */
export function applyProjectEnv(
  { file, dir, config: { env } }: ProjectFile,
  environment: NodeJS.ProcessEnv,
  warn: (message: string) => void,
  { within }: { within?: string } = {},
): void {
  if (env === undefined) return;
  const where = `${basename(file)}: env`;
  if (Array.isArray(env)) {
    const missing = env.filter((name) => environment[name] === undefined);
    if (missing.length > 0)
      throw new InvalidProject(`${where}: not set in the environment: ${missing.join(', ')}`);
    return;
  }
  const values = typeof env === 'string' ? readEnvFile(dir, env, where, warn, within) : env;
  for (const [name, value] of Object.entries(values)) environment[name] ??= String(value);
}

function readEnvFile(
  dir: string,
  name: string,
  where: string,
  warn: (message: string) => void,
  within: string | undefined,
): NodeJS.Dict<string> {
  const path = resolve(dir, name);
  try {
    if (within && !realpathSync(path).startsWith(realpathSync(within) + sep))
      throw new Error('it is outside the project');
    return parseEnv(readFileSync(path, 'utf8'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // Without the path, which in a build is one of the platform's.
    if (code !== 'ENOENT')
      throw new InvalidProject(`${where}: cannot read ${name}: ${message.replaceAll(path, name)}`);
    if (!within) warn(`${where}: no such file: ${name}`);
    return {};
  }
}
