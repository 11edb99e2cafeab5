import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { packageRoot } from '../../../src/platform/package-root.ts';

const run = promisify(execFile);
const cache = fileURLToPath(new URL('node_modules/.cache/slipway-python/', packageRoot));

/**
 * The interpreter of a virtual environment with the packages of a requirements file, created once per content of that
 * file. Throws if there is no Python 3 with its venv module, or the packages cannot be installed.
 */
export async function pythonEnvironment(requirements: URL): Promise<string> {
  const { stdout: version } = await python3(['--version']);
  const wanted = await readFile(requirements, 'utf8');
  const folder = join(
    cache,
    createHash('sha256')
      .update(version + wanted)
      .digest('hex')
      .slice(0, 12),
  );
  const interpreter = join(folder, 'bin', 'python');
  if (existsSync(interpreter)) return interpreter;
  // Created elsewhere and moved, so that an interrupted run leaves nothing that looks complete.
  const draft = `${folder}.${process.pid}`;
  await mkdir(cache, { recursive: true });
  try {
    await python3(['-m', 'venv', draft]);
    const install = [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--disable-pip-version-check',
      // Modules are compiled on import.
      '--no-compile',
      '-r',
      fileURLToPath(requirements),
    ];
    await run(join(draft, 'bin', 'python'), install, { maxBuffer: 10_000_000 });
    await rename(draft, folder).catch((error: unknown) => {
      if (!existsSync(interpreter)) throw error;
    });
  } catch (error) {
    throw new Error(
      `The Python packages of ${requirements.pathname} could not be installed: ${tellOf(error)}`,
      {
        cause: error,
      },
    );
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return interpreter;
}

async function python3(args: string[]): Promise<{ stdout: string }> {
  try {
    return await run('python3', args);
  } catch (error) {
    throw new Error(
      `Python 3.10 or newer with its venv module is needed for these tests: python3 ${args.join(' ')} failed: ${tellOf(error)}`,
      { cause: error },
    );
  }
}

function tellOf(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message: string };
  return stderr?.trim() || message;
}
