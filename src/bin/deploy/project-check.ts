import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { readProjectConfig } from '../../agent-server/project/project-config.ts';
import { parseReference } from '../../graph-host/project/project-import.ts';
import { findGraphConfig } from '../../control-plane/builds/graph-config.ts';
import { isModule } from '../../graph-protocol/language.ts';
import type { ProjectConfig } from '../../graph-protocol/project-schema.ts';
import { Misused } from '../../deploy-client/outcome.ts';
import { listProject } from '../../deploy-client/project-archive.ts';

export interface ProjectOptions {
  config?: string;
  installCommand?: string;
  buildCommand?: string;
  envFile?: string[];
}

// These may create files that the configuration names.
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare'];

const NOT_UPLOADED = 'is not uploaded: it is a link, outside the project, or named in an ignore file';

/** Every `path:export`, by its key. */
function referencesOf({
  graphs,
  auth,
  http,
  store,
  encryption,
}: ProjectConfig): [key: string, reference: string][] {
  const ofGraphs = Object.entries(graphs).map(([id, entry]) => [
    `graphs.${id}`,
    typeof entry === 'string' ? entry : entry.path,
  ]);
  const others = [
    ['auth.path', auth?.path],
    ['http.app', http?.app],
    ['store.path', store?.path],
    ['encryption.path', encryption?.path],
  ];
  return [...ofGraphs, ...others].filter((pair): pair is [string, string] => pair[1] !== undefined);
}

/** Refuses a folder that can't be built, before a deployment exists. Returns warnings. Throws Misused. */
export async function checkProject(folder: string, options: ProjectOptions): Promise<string[]> {
  if (!(await stat(folder).catch(() => undefined))?.isDirectory())
    throw new Misused(`${folder}: no such folder`);
  try {
    const root = resolve(folder);
    const { path } = await findGraphConfig(root, options.config);
    const { dir, config } = readProjectConfig(join(root, path));
    const { files } = await listProject(root);
    const uploaded = new Set(files.map((name) => join(root, name)));
    if (!uploaded.has(join(root, path))) throw new Misused(`${path}: ${NOT_UPLOADED}`);
    const mayMakeFiles = options.buildCommand || options.installCommand || (await hasInstallScript(folder));
    for (const [key, reference] of mayMakeFiles ? [] : referencesOf(config)) {
      if (isModule(reference)) continue;
      const { path: named, file } = parseReference(dir, reference);
      if (uploaded.has(file)) continue;
      const isThere = (await stat(file).catch(() => undefined))?.isFile();
      throw new Misused(
        `${path}: ${key}: ${isThere ? `${named}: ${NOT_UPLOADED}` : `no such file: ${named}`}`,
      );
    }
    return await unsentVariables(folder, options);
  } catch (error) {
    if (error instanceof Misused) throw error;
    const { name, message } = error as Error;
    if (name !== 'BuildFailed' && name !== 'InvalidProject') throw error;
    throw new Misused(message);
  }
}

/** Archives never contain a `.env`: its variables reach the deployment another way, or not at all. */
async function unsentVariables(folder: string, { envFile }: ProjectOptions): Promise<string[]> {
  const file = join(folder, '.env');
  if (envFile || !(await stat(file).catch(() => undefined))?.isFile()) return [];
  return [`${file} is not uploaded; --env-file ${file} sends its variables as the deployment's environment`];
}

async function hasInstallScript(folder: string): Promise<boolean> {
  try {
    const text = await readFile(join(folder, 'package.json'), 'utf8');
    const { scripts = {} } = JSON.parse(text) as { scripts?: Record<string, unknown> };
    return INSTALL_SCRIPTS.some((name) => name in scripts);
  } catch {
    return false;
  }
}
