import type { ProjectConfig } from '../../graph-protocol/project-schema.ts';
import type { Ttl } from './thread-repository.ts';

/** Default ttl of new threads, if the project sets one. */
export function defaultTtl({ checkpointer }: ProjectConfig): Ttl | undefined {
  const { strategy = 'delete', default_ttl } = checkpointer?.ttl ?? {};
  return default_ttl === undefined ? undefined : { strategy, minutes: default_ttl };
}
