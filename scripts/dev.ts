import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { watchFolder } from '../src/bin/watch-folder.ts';
import { packageRoot } from '../src/platform/package-root.ts';

// The program is made of these; Vite reloads the console by itself.
const SOURCES = ['src', 'workflows', 'activities', 'migrations', 'python'];
const IGNORED = /(?:^|[/\\])(?:__pycache__|\.venv|[^/\\]*\.egg-info)(?:[/\\]|$)|~$|\.sw\w$/;
const QUIET_MS = 300;

const start = (command: string, ...args: string[]): ChildProcess =>
  spawn(command, args, { cwd: fileURLToPath(packageRoot), stdio: 'inherit' });

async function build(): Promise<boolean> {
  const [code] = (await once(start('npm', 'run', '--silent', 'build'), 'exit')) as [number | null];
  return code === 0;
}

async function end(child: ChildProcess | undefined, signal?: NodeJS.Signals): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  if (signal) child.kill(signal);
  await once(child, 'exit');
}

/** A build that fails leaves the platform of the one before running. */
async function reload(): Promise<void> {
  if (!(await build())) return;
  await end(platform, 'SIGTERM');
  // Runs continue after the restart.
  process.env['SLIPWAY_GRACE_SECONDS'] ??= '0';
  if (!isOver) platform = start(process.execPath, 'dist/bin/slipway.js', 'up', ...process.argv.slice(2));
}

let platform: ChildProcess | undefined;
let isOver = false;
let working = reload();
const consoleServer = start(
  process.execPath,
  'node_modules/vite/bin/vite.js',
  'console',
  '--logLevel',
  'info',
);

let timer: NodeJS.Timeout | undefined;
for (const folder of SOURCES)
  watchFolder(fileURLToPath(new URL(folder, packageRoot)), IGNORED, (file) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      console.error(`${folder}/${file} changed: building`);
      working = working.then(reload);
    }, QUIET_MS);
  });
async function stop(signal?: NodeJS.Signals): Promise<void> {
  isOver = true;
  await Promise.all([end(platform, signal), end(consoleServer, signal)]);
  process.exit();
}
// Ctrl+C reaches them too, and a second signal would end the platform at once.
process.once('SIGINT', () => void stop());
process.once('SIGTERM', () => void stop('SIGTERM'));
