import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { readProjectConfig } from '../../agent-server/project/project-config.ts';
import { parseReference } from '../../graph-host/project/project-import.ts';
import { findGraphConfig } from '../../control-plane/builds/graph-config.ts';
import { isModule } from '../../graph-protocol/language.ts';
import { Misused } from '../../deploy-client/outcome.ts';

export interface ProjectOptions {
  config?: string;
  installCommand?: string;
  buildCommand?: string;
  envFile?: string[];
}

// These may create files that the configuration names.
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare'];

/** Refuses a folder that can't be built, before a deployment exists. Returns warnings. Throws Misused. */
export async function checkProject(folder: string, options: ProjectOptions): Promise<string[]> {
  if (!(await stat(folder).catch(() => undefined))?.isDirectory())
    throw new Misused(`${folder}: no such folder`);
  try {
    const { path } = await findGraphConfig(resolve(folder), options.config);
    const { dir, config } = readProjectConfig(join(folder, path));
    const mayMakeFiles = options.buildCommand || options.installCommand || (await hasInstallScript(folder));
    for (const [id, entry] of mayMakeFiles ? [] : Object.entries(config.graphs)) {
      const reference = typeof entry === 'string' ? entry : entry.path;
      if (isModule(reference)) continue;
      const { path: named, file } = parseReference(dir, reference);
      if (!(await stat(file).catch(() => undefined))?.isFile())
        throw new Misused(`${path}: graphs.${id}: no such file: ${named}`);
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
