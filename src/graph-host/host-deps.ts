import type { Logger } from 'pino';
import type { Channel } from '../graph-protocol/channel.ts';
import type { ProjectAuth } from './auth/project-auth.ts';
import type { CustomApp } from './app/custom-app.ts';
import type { ProjectEncryption } from './encryption.ts';
import type { Project } from './project/project.ts';
import type { Embedder } from './store/embeddings.ts';
import type { HostStore } from './store/host-store.ts';

/** Dependencies of the handlers, available once the project is loaded. */
export interface HostDeps {
  channel: Channel;
  log: Logger;
  project: Project;
  store: HostStore;
  auth: ProjectAuth | undefined;
  app: CustomApp | undefined;
  encryption: ProjectEncryption | undefined;
  embedder: Embedder | undefined;
}
