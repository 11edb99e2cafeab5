import { ProjectCrashed } from '../agent-server/hosts/project-crashed.ts';
import { EmbeddedStartFailed } from '../platform/embedded/start-failed.ts';
import { InvalidSetting } from '../platform/settings.ts';
import { InvalidProject } from '../graph-protocol/invalid-project.ts';

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

/** Runs a command. Errors its user can fix print one line on standard error; others print their stack. */
export async function runCommand(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    const usage = error instanceof InvalidSetting || error instanceof InvalidProject;
    const crashed = error instanceof ProjectCrashed;
    process.exitCode = usage ? EXIT_USAGE : (crashed && error.exitCode) || EXIT_FAILED;
    if (usage || crashed || error instanceof EmbeddedStartFailed) console.error(`slipway: ${error.message}`);
    else console.error('slipway:', describe(error));
    // Half-started services must not keep the process alive.
    process.exit();
  }
}

function describe(error: unknown): unknown {
  const { code, syscall, port } = (error ?? {}) as { code?: string; syscall?: string; port?: number };
  if (code === 'EADDRINUSE') return `port ${port} is in use; choose another with --port`;
  if (code === 'ECONNREFUSED') return `nothing listens at the configured address (${syscall} port ${port})`;
  return error;
}
