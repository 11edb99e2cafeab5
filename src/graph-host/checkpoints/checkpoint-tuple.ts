import type { CheckpointTuple, SerializerProtocol } from '@langchain/langgraph-checkpoint';
import { greatestVersion, versionAfter } from './channel-version.ts';
import { reviveMetadata } from './checkpoint-metadata.ts';
import { configOf } from '../../graph-protocol/checkpoint-place.ts';
import {
  CURRENT_FORMAT,
  type StoredCheckpoint,
  type StoredValue,
  TASKS,
} from '../../graph-protocol/checkpoint-record.ts';
import { reviveValue } from './stored-value.ts';

/**
 * Builds the engine's view of a stored checkpoint, a new copy each time. `sends` are from its parent's writes, where
 * checkpoints of the old format have their tasks.
 */
export async function toTuple(
  serde: SerializerProtocol,
  { row, values, writes }: StoredCheckpoint,
  sends: StoredValue[] = [],
): Promise<CheckpointTuple> {
  const [entries, metadata, pendingWrites, tasks] = await Promise.all([
    Promise.all(
      [...values].map(async ([channel, value]) => [channel, await reviveValue(serde, value)] as const),
    ),
    reviveMetadata(serde, row.metadata),
    Promise.all(
      writes
        .sorted()
        .map(async (write): Promise<[string, string, unknown]> => [
          write.task_id,
          write.channel,
          await reviveValue(serde, write),
        ]),
    ),
    Promise.all(sends.map((send) => reviveValue(serde, send))),
  ]);
  const channel_values: Record<string, unknown> = Object.fromEntries(entries);
  const channel_versions = { ...row.channel_versions };
  if (needsSends(row)) {
    channel_values[TASKS] = tasks;
    channel_versions[TASKS] = greatestVersion(Object.values(channel_versions)) ?? versionAfter(0);
  }
  return {
    config: configOf(row, row.checkpoint_id),
    checkpoint: {
      ...(JSON.parse(row.body) as { ts: string; versions_seen: Record<string, Record<string, number>> }),
      v: row.format,
      id: row.checkpoint_id,
      channel_values,
      channel_versions,
    },
    metadata,
    pendingWrites,
    ...(row.parent_checkpoint_id && { parentConfig: configOf(row, row.parent_checkpoint_id) }),
  };
}

export const needsSends = ({ format, parent_checkpoint_id }: StoredCheckpoint['row']): boolean =>
  format < CURRENT_FORMAT && parent_checkpoint_id !== null;
