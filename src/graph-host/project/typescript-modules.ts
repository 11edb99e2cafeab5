import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadEngineAhead } from '../graphs/graph-engine.ts';

export const isTypeScript = (path: string): boolean => /\.[cm]?tsx?$/.test(path);

const registered = new Map<string, Promise<void>>();

/**
 * Lets this process import the TypeScript `file`, compiled as set in the nearest `tsconfig.json` above `dir`. The hooks
 * apply to the whole process: a namespace would give the project a second copy of every shared package.
 */
export function registerTypeScript(dir: string, file: string): Promise<void> {
  const tsconfig = findAbove(dir, 'tsconfig.json');
  const key = tsconfig ?? '';
  const registering = registered.get(key) ?? register(tsconfig, file);
  registered.set(key, registering);
  return registering;
}

async function register(tsconfig: string | undefined, file: string): Promise<void> {
  // Before the hooks are registered, because they make loading a package's files three times as slow.
  if (registered.size === 0) await loadEngineAhead(dirname(file), isModule(file) ? 'import' : 'require');
  const [esm, cjs] = await Promise.all([import('tsx/esm/api'), import('tsx/cjs/api')]);
  esm.register({ tsconfig: tsconfig ?? false });
  // The CommonJS hooks read the tsconfig path from the environment, only while registering.
  const { env } = process;
  const before = env['TSX_TSCONFIG_PATH'];
  if (tsconfig) env['TSX_TSCONFIG_PATH'] = tsconfig;
  cjs.register();
  if (before === undefined) delete env['TSX_TSCONFIG_PATH'];
  else env['TSX_TSCONFIG_PATH'] = before;
}

/** Whether Node treats the file as an ES module. */
function isModule(file: string): boolean {
  if (/\.[cm]ts$/.test(file)) return file.endsWith('.mts');
  const manifest = findAbove(dirname(file), 'package.json');
  return manifest !== undefined && /"type"\s*:\s*"module"/.test(readFileSync(manifest, 'utf8'));
}

function findAbove(dir: string, name: string): string | undefined {
  const path = join(dir, name);
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) return path;
  const parent = dirname(dir);
  return parent === dir ? undefined : findAbove(parent, name);
}
