import type { StateOwner } from './state-repository.ts';

type Json = Record<string, unknown>;

// Values specific to a single run, which don't apply to state reads and writes.
const OF_ONE_RUN = /^(?:run_id|checkpoint_id|checkpoint_ns|checkpoint_map|langgraph_request_id)$/;

const lasting = (configurable: Json): Json =>
  Object.fromEntries(Object.entries(configurable).filter(([key]) => !OF_ONE_RUN.test(key)));

/** The configuration a factory gets to build the graph for a thread's state, based on the last run's. */
export const factoryConfig = ({ config, context }: Pick<StateOwner, 'config' | 'context'>, point: Json) => ({
  configurable: { ...lasting(config?.configurable ?? {}), ...point },
  ...(context && { context }),
});
