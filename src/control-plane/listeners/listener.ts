import { type Static, Type } from 'typebox';
import { StringEnum, Timestamp, Uuid } from '../../platform/schema.ts';

const Text = Type.Union([Type.String({ maxLength: 255 }), Type.Null()]);

const ComputeConfig = Type.Object({
  k8s_namespaces: Type.Optional(
    Type.Union([Type.Array(Type.String({ maxLength: 253 }), { maxItems: 1_000 }), Type.Null()]),
  ),
});

/** A tenant's own data plane (contract §1.4). */
export const Listener = Type.Object({
  id: Uuid,
  created_at: Timestamp,
  updated_at: Timestamp,
  version: Text,
  compute_type: Type.String(),
  compute_id: Type.String(),
  compute_config: ComputeConfig,
});
export type Listener = Static<typeof Listener>;

export const ListenerCreate = Type.Object({
  version: Type.Optional(Text),
  compute_type: StringEnum(['k8s']),
  /** Chosen by the user; immutable. */
  compute_id: Type.String({ minLength: 1, maxLength: 255 }),
  compute_config: Type.Optional(ComputeConfig),
});
export type ListenerCreate = Static<typeof ListenerCreate>;

/** null and omitted fields keep their value. */
export const ListenerPatch = Type.Object({
  version: Type.Optional(Text),
  compute_config: Type.Optional(Type.Union([ComputeConfig, Type.Null()])),
});
export type ListenerPatch = Static<typeof ListenerPatch>;
