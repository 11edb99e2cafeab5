/** The SDK's tree of a thread's checkpoints: a sequence with forks into further sequences. */
export interface Sequence {
  items: Item[];
}

type Item =
  | {
      type: 'node';
      path: string[];
      value: { checkpoint?: { checkpoint_id?: string | null | undefined } | null };
    }
  | { type: 'fork'; items: Sequence[] };

/** The SDK's name of the checkpoint's branch; undefined if the checkpoint is missing. */
export function branchOf({ items }: Sequence, checkpointId: string): string | undefined {
  for (const item of items) {
    if (item.type === 'node') {
      if (item.value.checkpoint?.checkpoint_id === checkpointId) return item.path.join('>');
    } else
      for (const sequence of item.items) {
        const found = branchOf(sequence, checkpointId);
        if (found !== undefined) return found;
      }
  }
  return undefined;
}
