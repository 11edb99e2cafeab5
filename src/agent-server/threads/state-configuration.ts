import type { StateOwner } from './state-repository.ts';

type Json = Record<string, unknown>;

// Of that run alone; what is read or written now is not the run's.
const OF_ONE_RUN = /^(?:run_id|checkpoint_id|checkpoint_ns|checkpoint_map|langgraph_request_id)$/;
// The caller that updates a state may not be the run's user.
const OF_ITS_USER = /^langgraph_auth_/;

const without = (configurable: Json, refused: RegExp): Json =>
  Object.fromEntries(Object.entries(configurable).filter(([key]) => !refused.test(key)));

/** What a factory makes the graph of a thread's state of, as its last run was configured. */
export const factoryConfig = ({ config, context }: Pick<StateOwner, 'config' | 'context'>, point: Json) => ({
  configurable: { ...without(config?.configurable ?? {}, OF_ONE_RUN), ...point },
  ...(context && { context }),
});

/** What an update runs with, which passes the graph's own edges. */
export function updateConfig(owner: Pick<StateOwner, 'config' | 'context'>, point: Json) {
  const { configurable, ...rest } = factoryConfig(owner, point);
  return { ...rest, configurable: without(configurable, OF_ITS_USER) };
}
