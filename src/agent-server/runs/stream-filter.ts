import type { StreamMode } from './run.ts';

const ALWAYS: ReadonlySet<string> = new Set(['metadata', 'error', 'end', 'feedback']);

/**
 * Which events a reader of certain stream modes is sent (contract §6.4). Names with a subgraph's namespace go by
 * their base; both spellings of the message modes admit all message events.
 */
export function passesModes(modes: readonly StreamMode[]): (event: string) => boolean {
  const wanted = new Set<string>(modes.map((mode) => (mode === 'messages-tuple' ? 'messages' : mode)));
  return (event) => {
    const base = event.split('|', 1)[0]!.split('/', 1)[0]!;
    return ALWAYS.has(base) || wanted.has(base);
  };
}
