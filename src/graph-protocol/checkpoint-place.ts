import type { Place } from './checkpoint-record.ts';

interface Config {
  configurable?: Record<string, unknown>;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What a uuid column takes. The engine's ids do not all have a variant that RFC 9562 knows. */
export const isUuid = (value: string): boolean => UUID.test(value);

/** Where in which thread; undefined where the thread's id is missing or cannot be one. */
export function findPlace({ configurable }: Config): Place | undefined {
  const { thread_id, checkpoint_ns } = configurable ?? {};
  if (typeof thread_id !== 'string' || !isUuid(thread_id)) return undefined;
  return {
    thread_id: thread_id.toLowerCase(),
    checkpoint_ns: typeof checkpoint_ns === 'string' ? checkpoint_ns : '',
  };
}

/** As findPlace, for writers, who must know. */
export function requirePlace(config: Config): Place {
  const place = findPlace(config);
  if (place) return place;
  throw new Error(
    `A checkpoint needs configurable.thread_id, a UUID; it is ${String(config.configurable?.['thread_id'])}`,
  );
}

/** Undefined when none is named. */
export function checkpointIdOf({ configurable }: Config): string | undefined {
  const id = configurable?.['checkpoint_id'] ?? configurable?.['thread_ts'];
  return typeof id === 'string' && id !== '' ? id.toLowerCase() : undefined;
}

export const configOf = ({ thread_id, checkpoint_ns }: Place, checkpoint_id: string) => ({
  configurable: { thread_id, checkpoint_ns, checkpoint_id },
});
