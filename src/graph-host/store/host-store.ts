import type { BaseStore } from '@langchain/langgraph';
import type { Channel } from '../../graph-protocol/channel.ts';
import type { StoreResult } from '../../graph-protocol/store-messages.ts';
import { acting } from '../in-process/acting.ts';
import type { LangGraphModule, Project } from '../project/project.ts';
import { createGraphStore } from './graph-store.ts';
import { loadProjectStore } from './project-store.ts';

/** What graphs reach as `config.store`: the project's own store, or the server's. */
export interface HostStore {
  /** The store that `store.path` names. */
  own: BaseStore | undefined;
  /** In the classes of the engine that a graph was made with. */
  of(langgraph: LangGraphModule): BaseStore;
}

/** Throws InvalidProject. */
export async function createHostStore(
  project: Pick<Project, 'config' | 'import'>,
  channel: Channel,
): Promise<HostStore> {
  const { path } = project.config.store ?? {};
  if (path !== undefined) {
    const own = await loadProjectStore(project, path);
    return { own, of: () => own };
  }
  const stores = new WeakMap<object, BaseStore>();
  return {
    own: undefined,
    of(langgraph) {
      const known = stores.get(langgraph.BaseStore);
      if (known) return known;
      const made = createGraphStore(langgraph, (operations) =>
        channel.call<StoreResult[]>('store.batch', { scope: acting().scope, operations }),
      );
      stores.set(langgraph.BaseStore, made);
      return made;
    },
  };
}
