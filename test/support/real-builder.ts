import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Builder, Built, BuildRequest } from '../../src/control-plane/builds/builder.ts';
import { defineError } from '../../src/platform/errors.ts';

const BuildFailed = defineError('BuildFailed', 400, (detail: string) => detail);

/**
 * A small builder for tests: it writes a folder, under its digest. Environment variables control it:
 * BUILD_SECONDS is how long its process runs, BUILD_UNTIL what it then waits for, BUILD_FAILS the error it fails with.
 */
export class FolderBuilder implements Builder {
  readonly #dir: string;
  /** Ids of the revisions built, in order. */
  readonly built: string[] = [];
  /** Running processes. */
  running = 0;
  readonly #released = new Set<string>();

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Releases builds with this BUILD_UNTIL. */
  release(name: string): void {
    this.#released.add(name);
  }

  async build({ revision, environment, log, signal }: BuildRequest): Promise<Built> {
    const env = new Map(environment.map(({ name, value }) => [name, value]));
    log(`building ${String(revision.source_revision_config['repo_ref'])}`);
    log('one dependency is deprecated', 'warn');
    await this.#run(env.get('BUILD_SECONDS') ?? '0', signal);
    const awaited = env.get('BUILD_UNTIL');
    if (awaited) while (!this.#released.has(awaited)) await pause(20, undefined, { signal });
    const failure = env.get('BUILD_FAILS');
    if (failure) {
      log(failure, 'error');
      throw new BuildFailed(failure);
    }
    const content = JSON.stringify({ config: revision.source_revision_config });
    const digest = createHash('sha256').update(content).digest('hex');
    await mkdir(join(this.#dir, digest), { recursive: true });
    await writeFile(join(this.#dir, digest, 'agent.json'), content);
    this.built.push(revision.id);
    log('built');
    const pinned = revision.source_revision_config['repo_commit_sha'] as string | undefined;
    const own_auth = env.has('OWN_AUTH');
    return { artifact: `sha256:${digest}`, own_auth, repo_commit_sha: pinned ?? digest.slice(0, 40) };
  }

  async #run(seconds: string, signal: AbortSignal): Promise<void> {
    const child = spawn('sleep', [seconds], { signal, killSignal: 'SIGKILL' });
    const exited = once(child, 'exit');
    this.running++;
    // Aborting it emits an error, and it ends.
    child.on('error', () => {});
    await exited.finally(() => this.running--);
    signal.throwIfAborted();
  }
}
