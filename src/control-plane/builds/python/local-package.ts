import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { readProjectFile } from '../graph-config.ts';

/** A folder of the project that `dependencies` names. */
export interface LocalPackage {
  /** Within the project. */
  folder: string;
  /** `locked`: by its uv.lock. `package`: as an editable package. Otherwise by a file that lists what it needs. */
  kind: 'locked' | 'package' | 'pyproject.toml' | 'requirements.txt' | 'plain';
  requiresPython?: string;
  /** Input of the installation; undefined if the package's own code decides. */
  decidedBy?: string;
}

// Of an editable package they write a link to its sources and nothing else.
const PLAIN_BACKEND =
  /^build-backend\s*=\s*["'](?:setuptools\.build_meta|hatchling\.build|flit_core\.buildapi|poetry\.core\.masonry\.api|pdm\.backend|uv_build)["']/m;
const BUILD_HOOK = /^\[+tool\.(?:hatch\.[\w.]*hooks|poetry\.build|pdm\.build|setuptools\.ext)/m;
const OTHER_FOLDER = /^source = \{ (?:editable|directory|path|virtual) = "(?!\.")/m;

export async function readLocalPackage(source: string, folder: string): Promise<LocalPackage> {
  const read = (name: string) => readProjectFile(source, join(folder, name));
  const pyproject = await read('pyproject.toml');
  const hasSetup = (await read('setup.py')) !== undefined;
  if (
    !hasSetup &&
    (pyproject === undefined || !/^\[(?:build-system|project|tool\.poetry)\]/m.test(pyproject))
  )
    return { folder, kind: (await read('requirements.txt')) === undefined ? 'plain' : 'requirements.txt' };
  const lock = pyproject === undefined ? undefined : await read('uv.lock');
  const requiresPython = /^requires-python\s*=\s*["']([^"'\n]+)["']/m.exec(pyproject ?? '')?.[1];
  const about = { folder, ...(requiresPython && { requiresPython }) };
  if (lock !== undefined && pyproject !== undefined) {
    const isPlain = !hasBuildCode(pyproject, hasSetup) && !OTHER_FOLDER.test(lock);
    return { ...about, kind: 'locked', ...(isPlain && { decidedBy: pyproject + lock }) };
  }
  const hasBackend = hasSetup || /^\[build-system\]/m.test(pyproject ?? '');
  // Without a backend setuptools would guess, and refuses a folder with several modules.
  if (!hasBackend && !(await hasSources(source, folder))) return { ...about, kind: 'pyproject.toml' };
  return { ...about, kind: 'package' };
}

const hasBuildCode = (pyproject: string, hasSetup: boolean): boolean =>
  hasSetup ||
  BUILD_HOOK.test(pyproject) ||
  (/^\[build-system\]/m.test(pyproject) && !PLAIN_BACKEND.test(pyproject));

const hasSources = async (source: string, folder: string): Promise<boolean> =>
  (await lstat(join(source, folder, 'src')).catch(() => undefined))?.isDirectory() ?? false;
