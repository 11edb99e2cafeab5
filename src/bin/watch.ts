import { type ChildProcess, fork } from 'node:child_process';
import { watch } from 'node:fs';
import { readProjectConfig } from '../agent-server/graphs/project-config.ts';

const QUIET_MS = 200;
const IGNORED = /(^|[/\\])(node_modules|\.git|\.slipway|dist)([/\\]|$)/;

/** Runs the same command without --watch in a child, and starts it again whenever a file of the project changes. */
export function superviseProject(config: string | undefined): void {
  const folder = readProjectConfig(config ?? '.').dir;
  const args = process.argv.slice(2).filter((argument) => argument !== '--watch');
  let child = start(args);
  let timer: NodeJS.Timeout | undefined;
  watch(folder, { recursive: true }, (_event, file) => {
    if (!file || IGNORED.test(file)) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      console.error(`slipway: ${file} changed, starting again`);
      const before = child;
      before.once('exit', () => (child = start(args)));
      if (before.exitCode === null) before.kill('SIGTERM');
      else child = start(args);
    }, QUIET_MS);
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      child.once('exit', () => process.exit());
      if (child.exitCode === null) child.kill('SIGTERM');
      else process.exit();
    });
  }
}

// Runs under development need not be waited for: they go on where they were after the restart.
const start = (args: string[]): ChildProcess =>
  fork(process.argv[1]!, args, { env: { ...process.env, SLIPWAY_GRACE_SECONDS: '0' } });
