import type { Logger } from 'pino';
import type { Channel } from '../graph-protocol/channel.ts';
import type { Description, LoadRequest } from '../graph-protocol/messages.ts';
import { loadCustomApp } from './app/custom-app.ts';
import { loadProjectAuth } from './auth/project-auth.ts';
import { loadEncryption } from './encryption.ts';
import type { HostDeps } from './host-deps.ts';
import { loadAll } from './project/load-all.ts';
import { importer, loadProject, type Project } from './project/project.ts';
import { createEmbedder } from './store/embeddings.ts';
import { createHostStore } from './store/host-store.ts';

export interface Loaded {
  deps: HostDeps;
  description: Description;
}

/** Loads all of a project's code. Throws InvalidProject. */
export async function load(request: LoadRequest, channel: Channel, log: Logger): Promise<Loaded> {
  const warnings: string[] = [];
  let isLoaded = false;
  const warn = (message: string) => (isLoaded ? log.warn(message) : void warnings.push(message));
  const { config } = request;
  const [project, parts] = await loadAll([
    loadProject(request, warn),
    openParts({ config, import: importer(request) }, channel, log),
  ]);
  const deps = { channel, log, project, ...parts };
  isLoaded = true;
  return { deps, description: describeParts(deps, warnings) };
}

/** Loads the parts of a project other than its graphs. Throws InvalidProject. */
export async function openParts(
  project: Pick<Project, 'config' | 'import'>,
  channel: Channel,
  log: Logger,
): Promise<Omit<HostDeps, 'channel' | 'log' | 'project'>> {
  const { index } = project.config.store ?? {};
  const [auth, app, encryption, store, embedder] = await loadAll([
    loadProjectAuth(project),
    loadCustomApp(project),
    loadEncryption(project),
    createHostStore(project, channel),
    index && createEmbedder(index, { project, env: process.env, log }),
  ]);
  return { store, auth, app, encryption, embedder };
}

export const describeParts = (
  { project, auth, app, encryption, embedder, store }: HostDeps,
  warnings: string[] = [],
): Description => ({
  language: 'javascript',
  graphs: Object.fromEntries(
    [...project.graphs].map(([id, { description, isFactory, schemas }]) => [
      id,
      { description, is_factory: isFactory, schemas },
    ]),
  ),
  auth: auth ? { events: Object.keys(auth.callbacks) } : null,
  http: app !== undefined,
  websockets: false,
  encryption: encryption
    ? {
        json: encryption.encrypt.json !== undefined,
        blob: encryption.encrypt.blob !== undefined,
        context: encryption.context !== undefined,
      }
    : null,
  embed: embedder !== undefined,
  store: store.own !== undefined,
  warnings,
});
