import { type ChildProcess, fork } from 'node:child_process';
import { readProjectConfig } from '../agent-server/project/project-config.ts';
import { watchFolder } from './watch-folder.ts';

const QUIET_MS = 200;
const IGNORED = /(^|[/\\])(node_modules|\.git|\.slipway|dist|\.venv|__pycache__|[^/\\]*\.egg-info)([/\\]|$)/;

/** Runs the same command without --watch in a child process, and restarts it when a project file changes. */
export function superviseProject(config: string | undefined): void {
  const folder = readProjectConfig(config ?? '.').dir;
  const args = process.argv.slice(2).filter((argument) => argument !== '--watch');
  let child = start(args);
  let timer: NodeJS.Timeout | undefined;
  let isEnding = false;
  let isOver = false;
  const restart = (): void => {
    // The next start includes changes until then.
    if (isEnding) return;
    isEnding = true;
    whenEnded(child, () => {
      if (isOver) return;
      isEnding = false;
      child = start(args);
    });
  };
  watchFolder(folder, IGNORED, (file) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      console.error(`slipway: ${file} changed, restarting`);
      restart();
    }, QUIET_MS);
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      isOver = true;
      whenEnded(child, () => process.exit());
    });
  }
}

function whenEnded(child: ChildProcess, then: () => void): void {
  if (child.exitCode !== null || child.signalCode !== null) return then();
  child.once('exit', then);
  child.kill('SIGTERM');
}

// During development, runs needn't finish: they continue after the restart.
const start = (args: string[]): ChildProcess =>
  fork(process.argv[1]!, args, { env: { ...process.env, SLIPWAY_GRACE_SECONDS: '0' } });
