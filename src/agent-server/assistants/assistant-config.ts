import { refuseBoth } from '../runs/run-kwargs.ts';
import { clientConfigurable } from '../reserved-keys.ts';
import type { Assistant } from '../records/assistant.ts';

type Settings = Pick<Assistant, 'config' | 'context'>;

/**
 * Applies a request to an assistant's settings. `config.configurable` and `context` are two names for one object:
 * either may be given, both is a BadRequest. If one is missing, the assistant keeps the settings that the other
 * doesn't cover.
 */
export function settle(
  { config, context }: Partial<Settings>,
  before: Settings = { config: {}, context: {} },
): Settings {
  if (!config && !context) return before;
  const configurable = clientConfigurable(config?.configurable);
  const given = clientConfigurable(context);
  refuseBoth(configurable, given);
  const shared = Object.keys(given).length > 0 ? given : configurable;
  const { configurable: _replaced, ...rest } = config ?? before.config;
  return {
    config: Object.keys(shared).length > 0 || config?.configurable ? { ...rest, configurable: shared } : rest,
    context: shared,
  };
}
