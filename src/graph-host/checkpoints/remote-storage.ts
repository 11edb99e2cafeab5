import type { Channel } from '../../graph-protocol/channel.ts';
import type { ChannelHistory, StoredValue } from '../../graph-protocol/checkpoint-record.ts';
import type { CheckpointStorage } from '../../graph-protocol/checkpoint-storage.ts';
import { fromWireCheckpoint, toWireUnit, type WireCheckpoint } from '../../graph-protocol/checkpoint-wire.ts';

/** Checkpoints stored by the server, accessed on behalf of one of its calls. */
export const remoteStorage = (channel: Channel, scope: number): CheckpointStorage => ({
  async find({ thread_id, checkpoint_ns }, checkpoint_id) {
    const params = { scope, thread_id, checkpoint_ns, checkpoint_id };
    const found = await channel.call<WireCheckpoint | null>('checkpoint.find', params);
    return found ? fromWireCheckpoint(found) : undefined;
  },
  async list(filter, limit) {
    const found = await channel.call<WireCheckpoint[]>('checkpoint.list', { scope, filter, limit });
    return found.map(fromWireCheckpoint);
  },
  sends: ({ thread_id, checkpoint_ns }, checkpoint_id) =>
    channel.call<StoredValue[]>('checkpoint.sends', { scope, thread_id, checkpoint_ns, checkpoint_id }),
  async histories({ thread_id, checkpoint_ns }, checkpoint_id, channels) {
    const params = { scope, thread_id, checkpoint_ns, checkpoint_id, channels };
    const found = await channel.call<Record<string, ChannelHistory>>('checkpoint.histories', params);
    return new Map(Object.entries(found));
  },
  write: (units) => channel.call('checkpoint.write', { scope, units: units.map(toWireUnit) }),
  deleteThread: (thread_id) => channel.call('checkpoint.delete_thread', { scope, thread_id }),
});
