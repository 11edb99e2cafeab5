import { randomUUID } from 'node:crypto';
import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { BuildFailed } from '../errors.ts';
import type { Destination } from '../fence/destinations.ts';
import type { Fence } from '../fence/fence.ts';
import { packageSources } from '../fence/package-sources.ts';
import { exportScript } from '../../platform/export-script.ts';
import type { LogSink } from './builder.ts';
import type { BuildFolders } from './build-folders.ts';
import { buildUidOf } from './build-user.ts';
import { type EnclosedCommand, enclosure } from './enclosure.ts';
import type { Tool } from './package-tool.ts';
import { GROUP_MARK, type GroupCommand, type GroupEnd, runGroup } from './process-group.ts';
import { indexSettings } from './python/index-settings.ts';
import { stepEnvironment } from './step-environment.ts';

export interface SandboxOptions {
  folders: BuildFolders;
  /** Folder of this attempt alone; the project is its `source`. */
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
  /** What it is called in the log and in the failure. */
  name: string;
  command: string[];
  /** Folder within the project. */
  cwd?: string;
}

/** A step of the platform's own: nothing of the project runs, and nothing of it decides what does. */
interface OwnStep extends Step {
  /** Folder that it sees as `$CACHE`. */
  cache: string;
}

type Places = EnclosedCommand['places'];

/** A program of the platform's own, whose caller decides what its end means. */
export interface OwnProgram {
  command: string[];
  /** Folder that it sees as `$CACHE`. */
  cache: string;
  environment(places: Places): Record<string, string>;
  onLine(line: string): void;
  /** What it may reach of the network, besides the Internet; without it nothing. */
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
 * Where code of a project runs while it is built: a process group of its own, a minimal environment, limits, and
 * where the machine allows it a user, processes and a view of the files of its own (docs/operations.md).
 */
export class Sandbox {
  readonly #options: SandboxOptions;
  readonly #uid: number;
  #said = false;
  readonly #tools: string[] = [];
  #python: string | undefined;

  constructor(options: SandboxOptions) {
    this.#options = options;
    this.#uid = buildUidOf(options.deploymentId);
  }

  get #cache(): string {
    return join(this.#options.folders.caches, this.#options.deploymentId, 'downloads');
  }

  /** Makes a package manager ready for the steps that follow; the deployment's next build finds it there. */
  async use({ name, version, spec, fetch }: Tool): Promise<void> {
    this.#tools.unshift(`${name}-${version}`);
    await this.run({ name: `Installing ${spec}`, command: ['sh', '-c', fetch] });
  }

  /** Has the steps that follow use an environment of Python, named by its folder within the project. */
  activate(environment: string): void {
    this.#python = environment;
  }

  /** Runs a step; its lines go to the log. Throws BuildFailed when it does not end well. */
  async run(step: Step): Promise<void> {
    const reaches = await packageSources();
    await this.#run({ ...step, cache: this.#cache, reaches }, (places) => ({
      ...indexSettings(process.env),
      ...this.#options.environment,
      ...stepEnvironment(process.env, places, { tools: this.#tools, python: this.#python }),
    }));
  }

  /** Runs a step of the platform's own, with the rights of the build alone. Throws BuildFailed. */
  runOwn(step: OwnStep): Promise<void> {
    return this.#run(step, ({ cache }) => ({ PATH: SYSTEM_PATH, CACHE: cache }));
  }

  /** Runs a program of the platform's own in the project, with the rights of the build alone. */
  runProgram({ environment, ...program }: OwnProgram): Promise<GroupEnd> {
    const withCache = (places: Places) => ({ ...environment(places), CACHE: places.cache });
    return this.#start({ ...program, environment: withCache });
  }

  /**
   * Copies the finished project to where no process of the build has ever been, and returns that place: files that one
   * of them still holds open, and folders it could swap, stay behind. Throws BuildFailed.
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
      // It is not what a step failed of.
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
    if (!this.#said && !isolated) log(`Builds are not isolated on this machine: ${why}`, 'warn');
    else if (!this.#said && fence.missing) log(fence.missing, 'warn');
    this.#said = true;
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
