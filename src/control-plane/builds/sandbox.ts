import { randomUUID } from 'node:crypto';
import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { BuildFailed } from '../errors.ts';
import type { Destination } from '../fence/destinations.ts';
import type { Fence } from '../fence/fence.ts';
import { packageSources } from '../fence/package-sources.ts';
import { exportScript } from '../../platform/export-script.ts';
import type { LogSink } from '../log.ts';
import type { BuildFolders } from '../build-folders.ts';
import { buildUidOf } from '../users/build-user.ts';
import { type EnclosedCommand, enclosure } from './enclosure.ts';
import type { Tool } from './package-tool.ts';
import { GROUP_MARK, type GroupCommand, type GroupEnd, runGroup } from './process-group.ts';
import { indexSettings } from './python/index-settings.ts';
import { stepEnvironment } from './step-environment.ts';

export interface SandboxOptions {
  folders: BuildFolders;
  /** Folder of this attempt; the project is in its `source`. */
  work: string;
  deploymentId: string;
  /** The revision's own variables. */
  environment: Record<string, string>;
  memoryMb: number;
  fence: Fence;
  log: LogSink;
  signal: AbortSignal;
}

export interface Step {
  /** Name in the log and in failures. */
  name: string;
  command: string[];
  /** Relative to the project. */
  cwd?: string;
}

/** A step of the platform: runs no project code, and nothing in the project controls it. */
interface OwnStep extends Step {
  /** Mounted as `$CACHE`. */
  cache: string;
}

type Places = EnclosedCommand['places'];

/** A program of the platform whose exit the caller interprets. */
export interface OwnProgram {
  command: string[];
  /** Mounted as `$CACHE`. */
  cache: string;
  environment(places: Places): Record<string, string>;
  onLine(line: string): void;
  /** Network destinations besides the Internet; unset for no network. */
  reaches?: Destination[] | undefined;
}

const NO_NETWORK = ['unshare', '--net', '--'];
const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const TOLD_OF_FAILURE = 3;
const WARNING = /^(?:npm )?warn(?:ing)?\b/i;
const MOST_FILES = 500_000;
const LONGEST_PATH = 3_072;
// Of a list of paths.
const REFUSE = `length > ${LONGEST_PATH} { print "The project holds a path that is too long"; exit 1 }
NR > ${MOST_FILES} { print "The project holds more than ${MOST_FILES} files"; exit 1 }`;

/**
 * Runs project code during a build: its own process group, a minimal environment, limits and, where the machine
 * allows it, its own user, processes and file system view (docs/operations.md).
 */
export class Sandbox {
  readonly #options: SandboxOptions;
  readonly #uid: number;
  #hasWarned = false;
  readonly #tools: string[] = [];
  #python: string | undefined;

  constructor(options: SandboxOptions) {
    this.#options = options;
    this.#uid = buildUidOf(options.deploymentId);
  }

  get #cache(): string {
    return join(this.#options.folders.caches, this.#options.deploymentId, 'downloads');
  }

  /** Installs a package manager for later steps, cached for the deployment's next build. */
  async use({ name, version, spec, fetch }: Tool): Promise<void> {
    this.#tools.unshift(`${name}-${version}`);
    await this.run({ name: `Installing ${spec}`, command: ['sh', '-c', fetch] });
  }

  /** Activates a Python environment, by its folder in the project, for later steps. */
  activate(environment: string): void {
    this.#python = environment;
  }

  /** Runs a step and logs its output. Throws BuildFailed. */
  async run(step: Step): Promise<void> {
    const reaches = await packageSources();
    await this.#run({ ...step, cache: this.#cache, reaches }, (places) => ({
      ...indexSettings(process.env),
      ...this.#options.environment,
      ...stepEnvironment(process.env, places, { tools: this.#tools, python: this.#python }),
    }));
  }

  /** Runs one of our steps with the build's rights. Throws BuildFailed. */
  runOwn(step: OwnStep): Promise<void> {
    return this.#run(step, ({ cache }) => ({ PATH: SYSTEM_PATH, CACHE: cache }));
  }

  /** Runs one of our programs in the project with the build's rights. */
  runProgram({ environment, ...program }: OwnProgram): Promise<GroupEnd> {
    const withCache = (places: Places) => ({ ...environment(places), CACHE: places.cache });
    return this.#start({ ...program, environment: withCache });
  }

  /**
   * Copies the finished project out of the build's reach and returns the copy: open files and swappable folders stay
   * behind. Throws BuildFailed.
   */
  async takeOut(): Promise<string> {
    const { work, folders } = this.#options;
    const out = join(work, 'out');
    await mkdir(out, { mode: 0o700 });
    const copy = `find . | awk '${REFUSE}' && cp -RP . "$CACHE/project"`;
    await this.runOwn({ name: 'Copying the project', command: ['sh', '-c', copy], cache: out });
    if ((await enclosure(folders.root)).isolated) await chown(out, 0, 0);
    return join(out, 'project');
  }

  async #run(
    { name, ...step }: OwnStep & Pick<OwnProgram, 'reaches'>,
    environment: (places: Places) => Record<string, string>,
  ): Promise<void> {
    const last: string[] = [];
    const onLine = (line: string) => {
      this.#options.log(line);
      // Warnings don't explain a failure.
      if (!WARNING.test(line)) last.push(line);
      if (last.length > TOLD_OF_FAILURE) last.shift();
    };
    const { code, by } = await this.#start({ ...step, environment, onLine });
    if (code === 0) return;
    const how = by ? `was ended by ${by}` : `ended with code ${code}`;
    throw new BuildFailed([`${name} ${how}`, ...last].join('\n'));
  }

  async #start({
    command,
    cwd = '.',
    cache,
    environment,
    onLine,
    reaches,
  }: OwnProgram & Pick<Step, 'cwd'>): Promise<GroupEnd> {
    const { work, folders, memoryMb, fence, log, signal } = this.#options;
    for (const folder of [join(work, 'home'), join(work, 'tmp'), cache])
      await mkdir(folder, { recursive: true });
    const { enclose, isolated, why } = await enclosure(folders.root);
    if (!this.#hasWarned && !isolated) log(`Builds are not isolated on this machine: ${why}`, 'warn');
    else if (!this.#hasWarned && fence.missing) log(fence.missing, 'warn');
    this.#hasWarned = true;
    const enclosed = await enclose({
      root: folders.root,
      work,
      cache,
      uid: this.#uid,
      memoryMb,
      cwd,
      command,
      fence: reaches ? await fence.prefix(reaches) : NO_NETWORK,
    });
    const mark = { [GROUP_MARK]: randomUUID() };
    const group: GroupCommand = {
      ...enclosed,
      env: { PATH: SYSTEM_PATH, ...mark },
      input: exportScript({ ...environment(enclosed.places), ...mark }),
      signal,
      onLine,
    };
    return runGroup(group);
  }
}
