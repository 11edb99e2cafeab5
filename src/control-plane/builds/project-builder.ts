import { chmod, mkdir, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { uuid7 } from '../../platform/ids.ts';
import { packageRoot } from '../../platform/package-root.ts';
import type { ControlPlaneSettings } from '../control-plane-settings.ts';
import { BuildFailed } from '../errors.ts';
import type { FenceSettings } from '../fence/configured-rules.ts';
import { findFence } from '../fence/fence.ts';
import { uploadedArchive } from '../uploads/upload-store.ts';
import { unpackArchive } from './archive-source.ts';
import { storeArtifact } from './artifact-store.ts';
import { BuildFolders } from '../build-folders.ts';
import type { Builder, BuildRequest, Built } from './builder.ts';
import { findGraphConfig, type GraphConfig, hasOwnAuth } from './graph-config.ts';
import { GIT_VARIABLES } from './git-credentials.ts';
import { fetchGitSource } from './git-source.ts';
import { type InstallPlan, planInstall } from './install-plan.ts';
import { maskedLog, masker } from '../secrets/masked-log.ts';
import { PackageCache } from './package-cache.ts';
import { buildEnvironment, relocateEnvironment } from './python/build-environment.ts';
import { planPython } from './python/python-plan.ts';
import { removeTree } from './remove-tree.ts';
import { Sandbox } from './sandbox.ts';

const SLIPWAY = fileURLToPath(new URL('dist/bin/slipway.js', packageRoot));

/** Builds projects on this machine: source, packages, graph check, artifact. */
export class ProjectBuilder implements Builder {
  readonly #config: ControlPlaneSettings & FenceSettings;
  readonly #folders: BuildFolders;

  constructor(config: ControlPlaneSettings & FenceSettings) {
    this.#config = config;
    this.#folders = new BuildFolders(config.SLIPWAY_DATA_DIR);
  }

  async build(request: BuildRequest): Promise<Built> {
    const { token, ssh_key } = request.credentials ?? {};
    const lent = [token, ssh_key].filter((value) => value !== undefined);
    const mask = masker([...request.environment, ...lent.map((value) => ({ name: '', value }))]);
    const log = maskedLog(request.log, mask);
    // Per attempt: an earlier one may still be shutting down.
    const work = join(this.#folders.work, `${request.revision.id}.${uuid7()}`);
    await this.#closeFolders();
    await mkdir(work, { recursive: true });
    try {
      return await this.#build({ ...request, log }, work);
    } catch (error) {
      request.signal.throwIfAborted();
      if (!(error instanceof BuildFailed)) throw error;
      const reason = mask(error.message).replaceAll(work, '').replaceAll('/run/slipway-build/source/', '');
      log(reason, 'error');
      throw new BuildFailed(reason);
    } finally {
      await this.#clear(request.revision.id, basename(work));
    }
  }

  /** Removes folders of earlier attempts whose workers died. */
  async #clear(revisionId: string, attempt: string): Promise<void> {
    const names = await readdir(this.#folders.work);
    const over = names.filter((name) => name.startsWith(`${revisionId}.`) && name <= attempt);
    await removeTree(...over.map((name) => join(this.#folders.work, name)));
  }

  /** Hides sources and caches from other users of the machine, agents included. */
  async #closeFolders(): Promise<void> {
    const { work, caches, uploads } = this.#folders;
    for (const folder of [work, caches, uploads]) {
      await mkdir(folder, { recursive: true });
      await chmod(folder, 0o700);
    }
  }

  async #build(request: BuildRequest, work: string): Promise<Built> {
    const { log, signal, revision } = request;
    const { SLIPWAY_ARTIFACT_LIMIT_BYTES: limit } = this.#config;
    const project = join(work, 'source');
    const sandbox = await this.#sandboxOf(request, work);
    const repo_commit_sha = await this.#fetch(request, work, sandbox);
    const config = await findGraphConfig(project, revision.source_revision_config['graph_config_path']);
    await this.#install(request, sandbox, project, config);
    const finished = await sandbox.takeOut();
    // Read from the finished project: its build may write the configuration.
    const own_auth = await hasOwnAuth(finished, config);
    const artifact = await storeArtifact(this.#folders, finished, {
      limit,
      signal,
      warn: (line) => log(line, 'warn'),
    });
    log(`Built ${artifact}`);
    return { artifact, own_auth, repo_commit_sha };
  }

  /** Fetches the project into the work folder; returns the commit, if any. */
  async #fetch(
    { revision, environment, credentials, log, signal }: BuildRequest,
    work: string,
    sandbox: Sandbox,
  ): Promise<string | undefined> {
    const { source, source_config, source_revision_config, deployment_id } = revision;
    if (source === 'internal_source') {
      const archive = await uploadedArchive(
        this.#folders,
        deployment_id,
        source_revision_config['source_tarball_path'],
      );
      if (!archive) throw new BuildFailed('This revision has no upload, or its upload was deleted');
      log('Unpacking the uploaded archive');
      await unpackArchive(archive, { work, limit: this.#config.SLIPWAY_SOURCE_LIMIT_BYTES, signal });
      return undefined;
    }
    return fetchGitSource({
      repo_url: source_config['repo_url'],
      repo_ref: source_revision_config['repo_ref'],
      commit: source_revision_config['repo_commit_sha'],
      lent: credentials,
      secrets: Object.fromEntries(environment.map(({ name, value }) => [name, value])),
      protocols: this.#config.SLIPWAY_GIT_PROTOCOLS.split(','),
      allowPrivate: this.#config.SLIPWAY_GIT_PRIVATE_ADDRESSES,
      folders: this.#folders,
      work,
      sandbox,
      log,
    });
  }

  async #sandboxOf({ revision, environment, log, signal }: BuildRequest, work: string): Promise<Sandbox> {
    const hidden = new Set<string>(GIT_VARIABLES);
    return new Sandbox({
      folders: this.#folders,
      work,
      deploymentId: revision.deployment_id,
      environment: Object.fromEntries(
        environment.filter(({ name }) => !hidden.has(name)).map(({ name, value }) => [name, value]),
      ),
      memoryMb: this.#config.SLIPWAY_BUILD_MEMORY_MB,
      fence: await findFence(this.#config),
      log,
      signal,
    });
  }

  /** Packages, the project's own build, and a check of its graphs. */
  async #install(
    request: BuildRequest,
    sandbox: Sandbox,
    project: string,
    config: GraphConfig,
  ): Promise<void> {
    const { revision, log } = request;
    const { install_command, build_command } = revision.source_config;
    const python = config.languages.has('python') ? await planPython(project, config) : undefined;
    const plan = await planInstall(project, config, install_command);
    if (python) {
      const cache = new PackageCache(this.#folders, revision.deployment_id, sandbox, '.venv');
      // A custom install command replaces ours.
      const packages = plan?.isGiven !== true;
      await buildEnvironment(python, config.dir, { sandbox, cache, log }, { packages });
    }
    if (plan) await this.#installPackages(request, sandbox, plan);
    else if (!python) log('No packages to install');
    if (typeof build_command === 'string' && build_command.trim() !== '') {
      log(`Building: ${build_command}`);
      await sandbox.run({ name: 'The build command', command: ['sh', '-c', build_command], cwd: config.dir });
    }
    if (python) await relocateEnvironment(python, sandbox);
    log(`Loading the graphs of ${config.path}`);
    const check = [process.execPath, SLIPWAY, 'check', '--config', config.path];
    await sandbox.run({ name: 'Loading the graphs', command: check });
  }

  async #installPackages(
    { revision, log }: BuildRequest,
    sandbox: Sandbox,
    { command, cwd, key, warning, tool }: InstallPlan,
  ): Promise<void> {
    const cache = new PackageCache(this.#folders, revision.deployment_id, sandbox);
    if (warning) log(warning, 'warn');
    const isRestored = key !== undefined && (await cache.restore(key, cwd));
    // The project's own build may call it too.
    if (tool) await sandbox.use(tool);
    if (isRestored) {
      log('Reusing the packages of an earlier build with the same lockfile');
      return;
    }
    log(`Installing packages: ${command}`);
    await sandbox.run({ name: 'Installing packages', command: ['sh', '-c', command], cwd });
    if (key) await cache.keep(key, cwd);
  }
}
