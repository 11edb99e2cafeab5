import type { BaseStore } from '@langchain/langgraph';
import type { Channel } from '../../graph-protocol/channel.ts';
import type { StoreResult } from '../../graph-protocol/store-messages.ts';
import { acting } from '../in-process/acting.ts';
import type { LangGraphModule } from '../graphs/graph-engine.ts';
import type { Project } from '../project/project.ts';
import { createGraphStore } from './graph-store.ts';
import { loadProjectStore } from './project-store.ts';

/** The store that graphs see as `config.store`: the project's own, or the server's. */
export interface HostStore {
  /** The store at `store.path`. */
  own: BaseStore | undefined;
  /** Returns the store, made with the given engine's classes. */
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
