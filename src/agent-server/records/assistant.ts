import { type Static, Type } from 'typebox';
import { PAGE, SortOrder } from '../../platform/http/pagination.ts';
import { JsonObject, StringEnum, Timestamp, Uuid } from '../../platform/schema.ts';
import { RunnableConfig } from './run.ts';

/** An assistant's id, or a graph's name for its system assistant. */
export const AssistantPath = Type.Object({ assistant_id: Type.String({ minLength: 1 }) });

const SHARED = {
  assistant_id: Uuid,
  graph_id: Type.String(),
  config: RunnableConfig,
  context: JsonObject,
  metadata: JsonObject,
  name: Type.String(),
  description: Type.Union([Type.String(), Type.Null()]),
  version: Type.Integer(),
  created_at: Timestamp,
};

export const Assistant = Type.Object({ ...SHARED, updated_at: Timestamp });
export type Assistant = Static<typeof Assistant>;

export const AssistantVersion = Type.Object(SHARED);
export type AssistantVersion = Static<typeof AssistantVersion>;

export const VERSION_FIELDS = [
  'assistant_id',
  'graph_id',
  'config',
  'context',
  'metadata',
  'name',
  'description',
  'version',
  'created_at',
] as const;
export const ASSISTANT_FIELDS = [...VERSION_FIELDS, 'updated_at'] as const;

const CHANGEABLE = {
  config: Type.Optional(RunnableConfig),
  context: Type.Optional(JsonObject),
  metadata: Type.Optional(JsonObject),
  name: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
};
const GraphId = Type.String({ minLength: 1 });

export const AssistantCreate = Type.Object({
  graph_id: GraphId,
  assistant_id: Type.Optional(Uuid),
  ...CHANGEABLE,
  if_exists: StringEnum(['raise', 'do_nothing'], { default: 'raise' }),
});
export type AssistantCreate = Static<typeof AssistantCreate>;

/** Merges `metadata` into the assistant's, key by key; replaces everything else. */
export const AssistantPatch = Type.Object({ graph_id: Type.Optional(GraphId), ...CHANGEABLE });
export type AssistantPatch = Static<typeof AssistantPatch>;

const FILTER = {
  metadata: Type.Optional(JsonObject),
  graph_id: Type.Optional(Type.String()),
  /** Case-insensitive substring of the name. */
  name: Type.Optional(Type.String()),
};

export const AssistantCount = Type.Object(FILTER);
export type AssistantCount = Static<typeof AssistantCount>;

export const AssistantSearch = Type.Object({
  ...FILTER,
  ...PAGE,
  sort_by: StringEnum(['assistant_id', 'graph_id', 'name', 'created_at', 'updated_at'], {
    default: 'created_at',
  }),
  sort_order: SortOrder,
  select: Type.Optional(Type.Array(StringEnum(ASSISTANT_FIELDS))),
});
export type AssistantSearch = Static<typeof AssistantSearch>;

export const VersionSearch = Type.Object({ metadata: Type.Optional(JsonObject), ...PAGE });
export type VersionSearch = Static<typeof VersionSearch>;
