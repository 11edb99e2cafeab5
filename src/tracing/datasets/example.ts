import { type Static, Type } from 'typebox';
import { JsonObject, Uuid } from '../../platform/schema.ts';

const Split = Type.Union([Type.String(), Type.Array(Type.String()), Type.Null()]);
const Outputs = Type.Union([JsonObject, Type.Null()]);
const Names = Type.Union([Type.Array(Type.String()), Type.Boolean()]);

/** An example to create (contract §1.13). */
export const ExampleCreate = Type.Object({
  id: Type.Optional(Uuid),
  inputs: Type.Optional(Type.Union([JsonObject, Type.Null()])),
  outputs: Type.Optional(Outputs),
  metadata: Type.Optional(JsonObject),
  split: Type.Optional(Split),
  source_run_id: Type.Optional(Uuid),
  use_source_run_io: Type.Optional(Type.Boolean()),
  use_source_run_attachments: Type.Optional(Names),
  created_at: Type.Optional(Type.Union([Type.String(), Type.Number()])),
});
export type ExampleCreate = Static<typeof ExampleCreate>;

const Operations = Type.Object({
  rename: Type.Optional(Type.Record(Type.String(), Type.String())),
  retain: Type.Optional(Type.Array(Type.String())),
});

/** Fields that are not given stay unchanged. */
export const ExampleUpdate = Type.Object({
  inputs: Type.Optional(JsonObject),
  outputs: Type.Optional(Outputs),
  metadata: Type.Optional(JsonObject),
  split: Type.Optional(Split),
  dataset_id: Type.Optional(Uuid),
  attachments_operations: Type.Optional(Operations),
});
export type ExampleUpdate = Static<typeof ExampleUpdate>;

export interface Attached {
  name: string;
  mime_type: string;
  sha256: Buffer;
}

/** The versioned part of an example. */
export interface ExampleState {
  id: string;
  dataset_id: string;
  inputs: JsonObject;
  outputs: JsonObject | null;
  metadata: JsonObject;
  source_run_id: string | null;
  /** ISO 8601. Null means now. */
  created_at: string | null;
  attachments: Attached[];
}

/** An example as it is stored. */
export interface ExampleRow extends ExampleState {
  created_at: string;
  valid_from: string;
}

export const SPLIT_KEY = 'dataset_split';
export const DEFAULT_SPLIT = 'base';

export const splitsOf = (metadata: JsonObject): string[] => {
  const splits = metadata[SPLIT_KEY];
  return Array.isArray(splits) ? splits.filter((split) => typeof split === 'string') : [];
};

/** Metadata with these splits. If undefined, keeps the splits in the metadata, or else the previous ones. */
export const withSplits = (
  metadata: JsonObject,
  split: ExampleCreate['split'],
  before: string[] = [DEFAULT_SPLIT],
): JsonObject => {
  const own = splitsOf(metadata);
  const splits = split == null ? (own.length > 0 ? own : before) : [split].flat();
  return { ...metadata, [SPLIT_KEY]: [...new Set(splits)] };
};
