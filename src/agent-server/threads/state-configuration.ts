import type { StateOwner } from './state-repository.ts';

type Json = Record<string, unknown>;

// Of that run alone; what is read or written now is not the run's.
const OF_ONE_RUN = /^(?:run_id|checkpoint_id|checkpoint_ns|checkpoint_map|langgraph_request_id)$/;

const lasting = (configurable: Json): Json =>
  Object.fromEntries(Object.entries(configurable).filter(([key]) => !OF_ONE_RUN.test(key)));

/** What a factory makes the graph of a thread's state of, as its last run was configured. */
export const factoryConfig = ({ config, context }: Pick<StateOwner, 'config' | 'context'>, point: Json) => ({
  configurable: { ...lasting(config?.configurable ?? {}), ...point },
  ...(context && { context }),
});
