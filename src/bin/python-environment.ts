import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { ProjectLanguages } from '../agent-server/hosts/project-languages.ts';
import type { ProjectFile } from '../agent-server/project/project-config.ts';
import { readProjectFile } from '../control-plane/builds/graph-config.ts';
import { indexSettings } from '../control-plane/builds/python/index-settings.ts';
import { installCommands } from '../control-plane/builds/python/install-command.ts';
import { planPython, type PythonPlan } from '../control-plane/builds/python/python-plan.ts';
import { UV } from '../control-plane/builds/python/uv.ts';
import { InvalidProject } from '../graph-protocol/invalid-project.ts';

const execute = promisify(execFile);
/** Records what was installed in an environment we made. */
const MARK = 'slipway-installed';
const DECIDING = ['pyproject.toml', 'uv.lock', 'requirements.txt', 'setup.py', 'setup.cfg'];
const LAST_LINES = 3;

/**
 * Creates `.venv` for a Python project and installs what it needs. Uses an existing environment as it is. Throws
 * InvalidProject.
 */
export async function prepareEnvironment(
  { dir, file, config }: ProjectFile,
  env: NodeJS.ProcessEnv,
  { dataDir, say }: { dataDir: string; say: (line: string) => void },
): Promise<void> {
  if (!new ProjectLanguages(config).all.includes('python')) return;
  // A platform built the project.
  if (env['SLIPWAY_PYTHON'] || env['SLIPWAY_PROJECT_ENV'] !== undefined) return;
  const environment = join(dir, '.venv');
  const isThere = existsSync(join(environment, 'bin/python'));
  const installed = await readFile(join(environment, MARK), 'utf8').catch(() => undefined);
  const isTheirs = isThere ? installed === undefined : Boolean(env['VIRTUAL_ENV']);
  if (isTheirs) return;
  const plan = await planPython(dir, { path: basename(file), dir: '.', settings: config }).catch((error) => {
    throw new InvalidProject((error as Error).message);
  });
  if (plan.locked === undefined && plan.requirements.length === 0) return;
  const wanted = `${plan.version}\n${await digestOf(dir, plan)}\n`;
  if (installed === wanted) return;
  say(`installing the Python packages of ${dir} into .venv`);
  const tools = await findUv(env, join(resolve(dataDir), 'tools'));
  const run = runner(dir, {
    ...env,
    ...indexSettings(env),
    ...(tools && { PATH: `${tools}:${env['PATH'] ?? ''}` }),
    UV_PROJECT_ENVIRONMENT: environment,
    UV_PYTHON: join(environment, 'bin/python'),
  });
  if (!isThere || !installed?.startsWith(`${plan.version}\n`))
    await makeEnvironment(run, plan, environment, tools !== undefined);
  const withTool: PythonPlan = tools === undefined ? withPip(plan) : plan;
  for (const command of installCommands(withTool, { withGroups: true })) await run(command);
  await writeFile(join(environment, MARK), wanted);
}

type Run = (command: string[]) => Promise<void>;

const runner =
  (cwd: string, env: NodeJS.ProcessEnv): Run =>
  async ([program, ...args]) => {
    try {
      await execute(program!, args, { cwd, env, maxBuffer: 64 * 1024 * 1024 });
    } catch (error) {
      const { stderr = '', message } = error as { stderr?: string; message: string };
      const last = stderr.trim().split('\n').slice(-LAST_LINES).join('\n');
      throw new InvalidProject(`the Python packages could not be installed:\n${last || message}`);
    }
  };

async function makeEnvironment(
  run: Run,
  { version, installer }: PythonPlan,
  environment: string,
  hasUv: boolean,
): Promise<void> {
  await rm(environment, { recursive: true, force: true });
  const seed = installer === 'pip' ? ['--seed'] : [];
  if (hasUv) return run(['uv', 'venv', '--quiet', ...seed, '--python', version, environment]);
  // A version names a program; a range leaves the choice.
  const python = /^\d/.test(version) ? `python${version.split('.').slice(0, 2).join('.')}` : 'python3';
  await run([python, '-m', 'venv', environment]);
}

/** Folder to put before PATH; undefined if uv is neither installed nor downloadable. */
async function findUv(env: NodeJS.ProcessEnv, tools: string): Promise<string | undefined> {
  const folder = join(tools, `uv-${UV.version}`);
  const PATH = `${folder}/bin:${env['PATH'] ?? ''}`;
  try {
    await execute('sh', ['-c', UV.fetch], { env: { ...env, PATH, SLIPWAY_TOOL: folder } });
    return join(folder, 'bin');
  } catch {
    return undefined;
  }
}

/** The plan for pip, which reads no uv.lock. */
function withPip({ locked, ...plan }: PythonPlan): PythonPlan {
  const own = locked === undefined ? [] : ['-e', `./${locked}`];
  return { ...plan, installer: 'pip', requirements: [...own, ...plan.requirements] };
}

async function digestOf(dir: string, plan: PythonPlan): Promise<string> {
  const texts = await Promise.all(
    plan.folders.flatMap((folder) => DECIDING.map((name) => readProjectFile(dir, join(folder, name)))),
  );
  const what = JSON.stringify([plan, texts.map((text) => text ?? null)]);
  return createHash('sha256').update(what).digest('hex');
}
