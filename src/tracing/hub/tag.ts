import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../../platform/schema.ts';

export const Tag = Type.Object({
  id: Uuid,
  repo_id: Uuid,
  commit_id: Uuid,
  commit_hash: Type.String(),
  tag_name: Type.String(),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Tag = Static<typeof Tag>;
