import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { InvalidProject } from '../../graph-protocol/invalid-project.ts';
import { describeThrown } from '../thrown.ts';
import { isTypeScript, registerTypeScript } from './typescript-modules.ts';

/** A `path:export` from the config file. */
export interface ExportReference {
  /** As written, for messages. */
  path: string;
  file: string;
  name: string;
}

/** Splits `./src/agent.ts:agent`; the export defaults to `default`. Throws InvalidProject. */
export function parseReference(dir: string, reference: string): ExportReference {
  // The colon after a Windows drive letter is not a separator.
  const colon = reference.lastIndexOf(':') > 1 ? reference.lastIndexOf(':') : reference.length;
  const path = reference.slice(0, colon);
  return { path, file: resolve(dir, path), name: reference.slice(colon + 1) || 'default' };
}

/**
 * Imports a `path:export` from TypeScript or JavaScript, an ES module or CommonJS, and awaits it if it is a promise.
 * Throws InvalidProject.
 */
export async function importExport(dir: string, { path, file, name }: ExportReference): Promise<unknown> {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile())
    throw new InvalidProject(`no such file: ${path} (${file})`);
  if (isTypeScript(file)) await registerTypeScript(dir, file);
  const exports = await importModule(path, file);
  if (!exports.has(name)) {
    const found = [...exports.keys()];
    const known = found.length > 0 ? `it exports ${found.join(', ')}` : 'it exports nothing';
    throw new InvalidProject(`${path} has no export '${name}'; ${known}`);
  }
  try {
    return await exports.get(name);
  } catch (error) {
    throw new InvalidProject(`${path}: export '${name}' failed: ${describeThrown(error)}`, { cause: error });
  }
}

async function importModule(path: string, file: string): Promise<Map<string, unknown>> {
  try {
    return namedExports((await import(pathToFileURL(file).href)) as Record<string, unknown>);
  } catch (error) {
    throw new InvalidProject(`${path} failed to load: ${describeThrown(error)}`, { cause: error });
  }
}

/** A module's exports by name. For CommonJS, whose names Node may not detect, includes the keys of `module.exports`. */
function namedExports(namespace: Record<string, unknown>): Map<string, unknown> {
  const exports = new Map(
    Object.entries(namespace).filter(([name]) => name !== 'module.exports' && name !== '__esModule'),
  );
  const whole = namespace['module.exports'] ?? namespace['default'];
  if (typeof whole !== 'object' || whole === null || !isPlain(whole)) return exports;
  for (const [name, value] of Object.entries(whole)) {
    // Compiled from `export default`: the real default is one level down.
    if (!exports.has(name) || ('__esModule' in whole && name === 'default')) exports.set(name, value);
  }
  return exports;
}

// The properties of a default export that is a graph are not exports.
const isPlain = (value: object): boolean =>
  '__esModule' in value || Object.getPrototypeOf(Object.getPrototypeOf(value) ?? {}) === null;
