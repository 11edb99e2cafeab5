import {
  type CheckpointRow,
  type PendingWriteRow,
  PendingWrites,
  type StoredCheckpoint,
  type StoredValue,
  type ValueRow,
  type WriteRow,
  type WriteUnit,
} from './checkpoint-record.ts';

/** A stored checkpoint as JSON. */
export interface WireCheckpoint {
  row: CheckpointRow;
  values: Record<string, StoredValue>;
  writes: PendingWriteRow[];
}

/** What one put or putWrites stores, as JSON. */
export interface WireUnit {
  checkpoint?: CheckpointRow;
  changed: string[];
  values: ValueRow[];
  writes: WriteRow[];
}

export const toWireCheckpoint = ({ row, values, writes }: StoredCheckpoint): WireCheckpoint => ({
  row,
  values: Object.fromEntries(values),
  writes: writes.sorted(),
});

export function fromWireCheckpoint({ row, values, writes }: WireCheckpoint): StoredCheckpoint {
  const pending = new PendingWrites();
  for (const write of writes) pending.add(write);
  return { row, values: new Map(Object.entries(values)), writes: pending };
}

export const toWireUnit = ({ changed, ...unit }: WriteUnit): WireUnit => ({ ...unit, changed: [...changed] });

export const fromWireUnit = ({ changed, ...unit }: WireUnit): WriteUnit => ({
  ...unit,
  changed: new Set(changed),
});
