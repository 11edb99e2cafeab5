import { Type } from 'typebox';
import type { Json } from '../../graph-protocol/messages.ts';
import { Clearable, JsonObject, Uuid } from '../../platform/schema.ts';

const Point = Type.Object({
  thread_id: Type.Optional(Type.String()),
  checkpoint_ns: Type.Optional(Type.String()),
  checkpoint_id: Type.Optional(Uuid),
  checkpoint_map: Clearable(JsonObject),
});
export { Point as CheckpointPoint };

/** A thread's state at a checkpoint (contract §4.4). */
export const ThreadState = Type.Object({
  values: Type.Unknown(),
  next: Type.Array(Type.String()),
  tasks: Type.Array(JsonObject),
  metadata: Type.Union([JsonObject, Type.Null()]),
  created_at: Type.Union([Type.String(), Type.Null()]),
  checkpoint: Type.Union([Point, Type.Null()]),
  parent_checkpoint: Type.Union([Point, Type.Null()]),
  interrupts: Type.Array(JsonObject),
  checkpoint_id: Type.Union([Type.String(), Type.Null()]),
  parent_checkpoint_id: Type.Union([Type.String(), Type.Null()]),
});

/** State of a thread without checkpoints. */
export const emptyState = (values: unknown = {}): Json => ({
  values: values ?? {},
  next: [],
  tasks: [],
  metadata: null,
  created_at: null,
  checkpoint: null,
  parent_checkpoint: null,
  interrupts: [],
  checkpoint_id: null,
  parent_checkpoint_id: null,
});
