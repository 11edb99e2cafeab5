import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from '@jest/globals';
import {
  ControlPlaneSettings,
  type ControlPlaneSettings as Settings,
} from '../../src/control-plane/control-plane-settings.ts';
import { BuildFolders } from '../../src/control-plane/build-folders.ts';
import { fetchGitSource, type GitSource } from '../../src/control-plane/builds/git-source.ts';
import { ProjectBuilder } from '../../src/control-plane/builds/project-builder.ts';
import { Sandbox } from '../../src/control-plane/builds/sandbox.ts';
import type { BuildRequest, Built } from '../../src/control-plane/builds/builder.ts';
import type { FenceSettings } from '../../src/control-plane/fence/configured-rules.ts';
import { findFence } from '../../src/control-plane/fence/fence.ts';
import type { RevisionRow } from '../../src/control-plane/records/revision.ts';
import { packageRoot } from '../../src/platform/package-root.ts';
import { readSettings } from '../../src/platform/settings.ts';

export const MODULES = fileURLToPath(new URL('node_modules', packageRoot));

/** Links this repository's packages instead of installing from the network. */
export const LINK = `mkdir -p node_modules/@langchain && ln -sfn ${MODULES}/@langchain/langgraph ${MODULES}/@langchain/core node_modules/@langchain/`;

/** An agent project that loads. */
export const PROJECT: Record<string, string> = {
  'package.json': JSON.stringify({ type: 'module' }),
  'graph.json': JSON.stringify({ graphs: { agent: './src/agent.ts:graph' } }),
  'src/agent.ts': `import { Annotation, START, StateGraph } from '@langchain/langgraph';
const State = Annotation.Root({ said: Annotation<string>() });
export const graph = new StateGraph(State).addNode('say', () => ({ said: 'hi' })).addEdge(START, 'say').compile();
`,
};

export function writeFiles(folder: string, files: Record<string, string>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}

export interface BuildOrder {
  source_config?: Record<string, unknown>;
  source_revision_config?: Record<string, unknown>;
  source?: RevisionRow['source'];
  environment?: Record<string, string>;
  credentials?: BuildRequest['credentials'];
  deployment_id?: string;
  signal?: AbortSignal;
  settings?: Partial<Settings & FenceSettings>;
  onLine?(line: string): void;
}

/** A data folder for the test file, with builds in it. */
export function useBuilds() {
  const root = mkdtempSync(join(tmpdir(), 'slipway-builds-'));
  // The builds' users must be able to read repositories.
  chmodSync(root, 0o711);
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  const dataDir = join(root, 'data');
  const config: Settings = readSettings(ControlPlaneSettings, {
    SLIPWAY_DATA_DIR: dataDir,
    SLIPWAY_GIT_PROTOCOLS: 'https,ssh,http,file',
    SLIPWAY_GIT_PRIVATE_ADDRESSES: 'true',
  });
  let count = 0;
  return {
    root,
    dataDir,
    config,
    /** A repository with one commit of these files on its branch `main`. */
    repository(files: Record<string, string>) {
      const folder = join(root, `repository-${count++}`);
      mkdirSync(folder);
      const git = (...args: string[]): string =>
        execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
          cwd: folder,
          encoding: 'utf8',
        }).trim();
      const commit = (changed: Record<string, string>): string => {
        writeFiles(folder, changed);
        git('add', '--all');
        git('commit', '--quiet', '--message', 'change');
        return git('rev-parse', 'HEAD');
      };
      git('init', '--quiet', '--initial-branch=main');
      return { url: `file://${folder}`, folder, git, commit, sha: commit(files) };
    },
    /** Only fetches; nothing is installed or checked. */
    async fetchOnly(repo_url: string, more: Partial<GitSource> = {}) {
      const lines: string[] = [];
      const folders = new BuildFolders(dataDir);
      const work = mkdtempSync(join(root, 'fetch-'));
      const log = (line: string) => void lines.push(line);
      const sandbox = new Sandbox({
        folders,
        work,
        deploymentId: randomUUID(),
        environment: {},
        memoryMb: config.SLIPWAY_BUILD_MEMORY_MB,
        fence: await findFence(config),
        log,
        signal: new AbortController().signal,
      });
      const commit = await fetchGitSource({
        repo_url,
        repo_ref: 'main',
        secrets: {},
        protocols: ['http', 'ssh', 'file'],
        allowPrivate: true,
        folders,
        work,
        sandbox,
        log,
        ...more,
      });
      return { commit, lines, work };
    },
    /** Builds as the activity does; the lines of the log come with the outcome, or with the error. */
    async build(order: BuildOrder): Promise<Built & { lines: string[] }> {
      const lines: string[] = [];
      const builder = new ProjectBuilder({ ...config, ...order.settings });
      const revision = {
        id: randomUUID(),
        deployment_id: order.deployment_id ?? randomUUID(),
        source: order.source ?? 'git_host',
        source_config: { install_command: LINK, ...order.source_config },
        source_revision_config: order.source_revision_config ?? {},
      } as unknown as RevisionRow;
      const environment = Object.entries(order.environment ?? {}).map(([name, value]) => ({ name, value }));
      const log = (line: string) => {
        lines.push(line);
        order.onLine?.(line);
      };
      const { signal = new AbortController().signal, credentials } = order;
      const built = await builder.build({ revision, environment, credentials, log, signal });
      return { ...built, lines };
    },
  };
}
