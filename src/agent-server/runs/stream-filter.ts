import type { StreamMode } from '../records/run.ts';

const ALWAYS: ReadonlySet<string> = new Set(['metadata', 'error', 'end', 'feedback']);

/**
 * Decides which events a reader of these stream modes receives (contract §6.4). A subgraph's namespace in an event
 * name is ignored; both message modes admit all message events.
 */
export function passesModes(modes: readonly StreamMode[]): (event: string) => boolean {
  const wanted = new Set<string>(modes.map((mode) => (mode === 'messages-tuple' ? 'messages' : mode)));
  return (event) => {
    const base = event.split('|', 1)[0]!.split('/', 1)[0]!;
    return ALWAYS.has(base) || wanted.has(base);
  };
}
