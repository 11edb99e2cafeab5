import type { StateSummary } from '../../graph-protocol/messages.ts';
import { isObject } from '../../platform/json-object.ts';
import { toWire } from './message-json.ts';
import type { GraphInstance } from './graph-instance.ts';

interface Snapshot {
  values: unknown;
  next: string[];
  tasks: { id: string; interrupts?: { id?: string; value?: unknown }[] }[];
}

export async function readState(
  graph: GraphInstance,
  configurable: Record<string, unknown>,
): Promise<StateSummary> {
  const snapshot = (await graph.getState({ configurable })) as Snapshot;
  return summarize(snapshot);
}

export function summarize({ values, next, tasks }: Snapshot): StateSummary {
  const interrupts = tasks
    .filter((task) => task.interrupts && task.interrupts.length > 0)
    .map((task) => [task.id, (task.interrupts ?? []).map(publicInterrupt)] as const);
  const plain = toWire(values);
  return {
    // A functional graph's state may be a bare value.
    values: isObject(plain) ? plain : plain === undefined || plain === null ? {} : { __root__: plain },
    interrupts: Object.fromEntries(interrupts),
    // `next` omits a node that interrupts again after a resume.
    waiting: next.length > 0 || interrupts.length > 0,
  };
}

function publicInterrupt({ id, value }: { id?: string; value?: unknown }): { id?: string; value: unknown } {
  return { value: toWire(value ?? null), ...(id !== undefined && { id }) };
}
