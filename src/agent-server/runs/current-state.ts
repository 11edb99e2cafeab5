import type { StateSummary } from '../../graph-protocol/messages.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { postgresStorage } from '../checkpoints/postgres-storage.ts';
import { factoryConfig } from '../records/state-configuration.ts';
import { findStateOwner } from '../records/state-repository.ts';

/** The thread's state at its latest checkpoint; undefined when the graph cannot read it. */
export async function currentState(
  { db, project, hosts, log }: AgentDeps,
  { thread_id, graph_id }: { thread_id: string; graph_id: string },
): Promise<StateSummary | undefined> {
  try {
    const { is_factory } = project.require(graph_id);
    const owner = is_factory ? await findStateOwner(db, thread_id) : undefined;
    const config = owner ? factoryConfig(owner, { thread_id }) : { configurable: { thread_id } };
    const storage = postgresStorage(db);
    return await hosts.call<StateSummary>('state.summary', { graph_id, config }, { storage });
  } catch (error) {
    log.warn({ err: error, thread_id, graph_id }, 'could not read state');
    return undefined;
  }
}
