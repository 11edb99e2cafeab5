import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InvalidProject } from '../graph-protocol/invalid-project.ts';
import { packageRoot } from '../platform/package-root.ts';
import { commandName } from './banner.ts';
import { askForProject, DEFAULT_NAME } from './init-questions.ts';

export interface InitOptions {
  python?: boolean;
  /** Asks nothing. */
  yes?: boolean;
  install: boolean;
}

const NAMED_FILES = ['package.json', 'pyproject.toml', 'README.md'];
// npm leaves files of these names out of packages, so templates have them without the dot.
const DOTTED_FILES = ['gitignore', 'env.example'];
const NOT_COPIED = /(?:^|[\\/])(?:node_modules|\.venv|\.slipway|__pycache__|[^\\/]+\.egg-info)$/;

/** Writes a new agent project into a folder that is new or empty, and installs its packages. Throws InvalidProject. */
export async function init(folder: string | undefined, options: InitOptions): Promise<void> {
  const asks = !options.yes && process.stdin.isTTY && process.stdout.isTTY;
  const { python, ...chosen } = asks
    ? await askForProject(folder, options)
    : { folder: folder ?? DEFAULT_NAME, python: options.python ?? false };
  const target = resolve(chosen.folder);
  await refuseFilled(target, chosen.folder);
  await writeProject(target, python ? 'python' : 'typescript');
  // `slipway serve` installs what Python projects need.
  const isInstalled = python || (options.install && (await installPackages(target)));
  console.log(nextSteps(target, isInstalled));
}

async function refuseFilled(target: string, folder: string): Promise<void> {
  const found = await readdir(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    if (error.code === 'ENOTDIR') throw new InvalidProject(`${folder} is a file; name a new folder`);
    throw error;
  });
  if (found.length > 0) throw new InvalidProject(`${folder} is not empty; name a new folder`);
}

async function writeProject(target: string, template: 'typescript' | 'python'): Promise<void> {
  const source = fileURLToPath(new URL(`templates/${template}`, packageRoot));
  await cp(source, target, {
    recursive: true,
    filter: (path) => !NOT_COPIED.test(relative(source, path)),
  });
  for (const name of DOTTED_FILES) await rename(join(target, name), join(target, `.${name}`));
  await cp(join(target, '.env.example'), join(target, '.env'));
  const name = packageName(target);
  for (const file of NAMED_FILES) {
    const text = await readFile(join(target, file), 'utf8').catch(() => undefined);
    if (text !== undefined) await writeFile(join(target, file), text.replaceAll(DEFAULT_NAME, name), 'utf8');
  }
}

/** What npm and PyPI both take for a name. */
const packageName = (target: string): string =>
  basename(target)
    .toLowerCase()
    .replace(/[^a-z\d]+/g, '-')
    .replace(/^-+|-+$/g, '') || DEFAULT_NAME;

/** False if npm failed; npm has printed why. */
async function installPackages(target: string): Promise<boolean> {
  const npm = spawn('npm', ['install', '--no-audit', '--no-fund'], { cwd: target, stdio: 'inherit' });
  const [code] = (await once(npm, 'close').catch(() => [undefined])) as [number | undefined];
  return code === 0;
}

function nextSteps(target: string, isInstalled: boolean): string {
  const folder = relative(process.cwd(), target);
  const steps = [
    ...(folder ? [`cd ${/[^\w./-]/.test(folder) ? `'${folder}'` : folder}`] : []),
    ...(isInstalled ? [] : ['npm install']),
    `${commandName()} serve --watch`,
  ];
  return `\n${basename(target)} is ready. Next:\n\n${steps.map((step) => `  ${step}`).join('\n')}\n`;
}
