import type {
  ChannelVersions,
  Checkpoint,
  CheckpointMetadata,
  PendingWrite,
  SerializerProtocol,
} from '@langchain/langgraph-checkpoint';
import { checkpointMetadata, storeMetadata } from './checkpoint-metadata.ts';
import { checkpointIdOf, isUuid, requirePlace } from '../../graph-protocol/checkpoint-place.ts';
import {
  type CheckpointRow,
  CURRENT_FORMAT,
  NIL_RUN,
  writeIndex,
  type WriteUnit,
} from '../../graph-protocol/checkpoint-record.ts';
import { storeValue } from './stored-value.ts';

export interface UnitContext {
  serde: SerializerProtocol;
  run_id?: string | undefined;
  /** Added to the metadata of each checkpoint. */
  metadata?: object | undefined;
  /** Names of the known delta channels, whose values are rebuilt from their writes. */
  deltaChannels: Set<string>;
}

interface Config {
  configurable?: Record<string, unknown>;
  metadata?: Record<string, unknown>;
}

/** What a put stores. Copies its arguments synchronously; throws if the thread id is missing. */
export function checkpointUnit(
  context: UnitContext,
  config: Config,
  checkpoint: Checkpoint,
  engineMetadata: CheckpointMetadata,
  newVersions: ChannelVersions,
): Promise<WriteUnit> {
  const place = requirePlace(config);
  const { serde } = context;
  const { v, id, channel_values, channel_versions, ...body } = checkpoint;
  const metadata = checkpointMetadata(config.metadata ?? {}, context.metadata ?? {}, engineMetadata);
  noteDeltaChannels(context.deltaChannels, checkpoint, engineMetadata);
  const deltaChannels = Object.keys(channel_versions).filter((channel) => context.deltaChannels.has(channel));
  const parent = checkpointIdOf(config);
  const row: Omit<CheckpointRow, 'metadata'> = {
    ...place,
    checkpoint_id: id.toLowerCase(),
    parent_checkpoint_id: parent === undefined || parent === id.toLowerCase() ? null : parent,
    run_id: runOf(context, config),
    format: v ?? CURRENT_FORMAT,
    channel_versions: { ...channel_versions },
    delta_channels: deltaChannels.length > 0 ? deltaChannels : null,
    body: JSON.stringify(body),
  };
  const changed = Object.entries(newVersions).filter(([channel]) => Object.hasOwn(channel_values, channel));
  const values = changed.map(async ([channel, version]) => ({
    ...place,
    channel,
    version: String(version),
    ...(await storeValue(serde, channel_values[channel])),
  }));
  const stored = storeMetadata(serde, metadata);
  return Promise.all([stored, Promise.all(values)]).then(([metadata, values]) => ({
    checkpoint: { ...row, metadata },
    changed: new Set(Object.keys(newVersions)),
    values,
    writes: [],
  }));
}

/** What a putWrites stores. Copies its arguments synchronously; throws if the checkpoint id is missing. */
export function writesUnit(
  context: UnitContext,
  config: Config,
  writes: PendingWrite[],
  taskId: string,
  taskPath?: string,
): Promise<WriteUnit> {
  const place = requirePlace(config);
  const checkpointId = checkpointIdOf(config);
  if (!checkpointId) throw new Error('Pending writes need configurable.checkpoint_id');
  const run = runOf(context, config) ?? NIL_RUN;
  const rows = writes.map(async ([channel, value], position) => ({
    ...place,
    checkpoint_id: checkpointId,
    task_id: taskId,
    ...(taskPath && { task_path: taskPath }),
    idx: writeIndex(channel, position),
    run_id: run,
    channel,
    ...(await storeValue(context.serde, value)),
  }));
  return Promise.all(rows).then((writes) => ({ changed: new Set<string>(), values: [], writes }));
}

/** A state update carries the previous run's metadata without belonging to that run, so only the caller's counts. */
function runOf({ run_id }: UnitContext, { metadata }: Config): string | null {
  const id = run_id ?? metadata?.['run_id'];
  return typeof id === 'string' && isUuid(id) ? id : null;
}

function noteDeltaChannels(
  known: Set<string>,
  { channel_values }: Checkpoint,
  metadata: CheckpointMetadata,
): void {
  for (const channel of Object.keys(metadata.counters_since_delta_snapshot ?? {})) known.add(channel);
  for (const [channel, value] of Object.entries(channel_values)) {
    if ((value as { lg_name?: unknown } | null)?.lg_name === 'DeltaSnapshot') known.add(channel);
  }
}
