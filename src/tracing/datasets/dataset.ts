import { type Static, Type } from 'typebox';
import { JsonObject, StringEnum, Timestamp, Uuid } from '../../platform/schema.ts';
import { Transformation } from './rules/transformations.ts';

// The unique index on names limits their length.
const Name = Type.String({ minLength: 1, maxLength: 500 });
const DataType = StringEnum(['kv', 'llm', 'chat']);
const Schema = Type.Union([JsonObject, Type.Null()]);

/** A dataset as clients read it (contract §1.13). */
export interface Dataset {
  id: string;
  tenant_id: string;
  name: string;
  description: string | null;
  data_type: 'kv' | 'llm' | 'chat';
  inputs_schema_definition: JsonObject | null;
  outputs_schema_definition: JsonObject | null;
  transformations: Transformation[] | null;
  externally_managed: boolean;
  extra: JsonObject;
  metadata: JsonObject | null;
  example_count: number;
  session_count: number;
  last_session_start_time: string | null;
  created_at: string;
  modified_at: string;
}

const Described = {
  description: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  data_type: Type.Optional(DataType),
  inputs_schema_definition: Type.Optional(Schema),
  outputs_schema_definition: Type.Optional(Schema),
  transformations: Type.Optional(Type.Union([Type.Array(Transformation, { maxItems: 50 }), Type.Null()])),
  externally_managed: Type.Optional(Type.Boolean()),
  extra: Type.Optional(JsonObject),
  metadata: Type.Optional(JsonObject),
};

export const DatasetCreate = Type.Object({
  ...Described,
  id: Type.Optional(Uuid),
  name: Name,
  created_at: Type.Optional(Timestamp),
});
export type DatasetCreate = Static<typeof DatasetCreate>;

export const DatasetUpdate = Type.Object({ ...Described, name: Type.Optional(Name) });
export type DatasetUpdate = Static<typeof DatasetUpdate>;

export const DatasetQuery = Type.Object({
  id: Type.Optional(Type.Array(Uuid, { maxItems: 1_000 })),
  name: Type.Optional(Type.String()),
  name_contains: Type.Optional(Type.String()),
  data_type: Type.Optional(Type.Array(DataType)),
  metadata: Type.Optional(Type.String()),
  sort_by: StringEnum(
    ['name', 'created_at', 'modified_at', 'last_session_start_time', 'example_count', 'session_count'],
    {
      default: 'created_at',
    },
  ),
  sort_by_desc: Type.Boolean({ default: true }),
});
export type DatasetQuery = Static<typeof DatasetQuery>;
