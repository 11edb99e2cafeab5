import type { Json } from '../../graph-protocol/messages.ts';
import { publicFailure } from '../../platform/redaction/public-failure.ts';
import { toWire } from './message-json.ts';

/** The parts of the engine's `getState` result that clients see. */
export interface Snapshot {
  values: unknown;
  next: string[];
  config?: { configurable?: Record<string, unknown> };
  parentConfig?: { configurable?: Record<string, unknown> };
  metadata?: Record<string, unknown>;
  createdAt?: string;
  tasks: SnapshotTask[];
}

interface SnapshotTask {
  id: string;
  name: string;
  path?: unknown[];
  error?: unknown;
  interrupts?: { id?: string; value?: unknown }[];
  state?: Snapshot | { configurable?: Record<string, unknown> };
  result?: unknown;
}

/** The wire form of a snapshot; messages in it are flat dicts. */
export function toThreadState(snapshot: Snapshot): Json {
  const checkpoint = pointOf(snapshot.config);
  const parent = pointOf(snapshot.parentConfig);
  const tasks = snapshot.tasks.map(taskOf);
  return {
    values: toWire(snapshot.values) ?? {},
    next: snapshot.next,
    tasks,
    metadata: snapshot.metadata ? toWire(snapshot.metadata) : null,
    created_at: snapshot.createdAt === undefined ? null : timestampOf(snapshot.createdAt),
    checkpoint,
    parent_checkpoint: parent,
    interrupts: tasks.flatMap(({ interrupts }) => interrupts as object[]),
    checkpoint_id: checkpoint?.['checkpoint_id'] ?? null,
    parent_checkpoint_id: parent?.['checkpoint_id'] ?? null,
  };
}

/** The engine writes milliseconds and Z; other times on the wire have microseconds and an offset (contract §1.2). */
const timestampOf = (time: string): string => time.replace(/(\.\d{3})Z$/, '$1000+00:00');

function pointOf(config: Snapshot['config']): Json | null {
  const { configurable } = config ?? {};
  if (!configurable?.['checkpoint_id']) return null;
  const { thread_id, checkpoint_ns = '', checkpoint_id, checkpoint_map } = configurable;
  return { thread_id, checkpoint_ns, checkpoint_id, checkpoint_map: checkpoint_map ?? null };
}

function taskOf({ id, name, path = [], error, interrupts = [], state, result }: SnapshotTask): Json {
  const nested = state && 'values' in state ? state : undefined;
  const point = nested
    ? nested.config?.configurable
    : (state as { configurable?: Json } | undefined)?.configurable;
  return {
    id,
    name,
    path,
    error: error === undefined || error === null ? null : errorText(error),
    interrupts: interrupts.map((interrupt) => ({
      ...(interrupt.id !== undefined && { id: interrupt.id }),
      value: toWire(interrupt.value ?? null),
    })),
    checkpoint: point ? { thread_id: point['thread_id'], checkpoint_ns: point['checkpoint_ns'] ?? '' } : null,
    state: nested ? toThreadState(nested) : null,
    result: toWire(result) ?? null,
  };
}

/** Clients read `{error, message}` as JSON text here (contract §4.4). */
const errorText = (error: unknown): string => JSON.stringify(publicFailure(error));
