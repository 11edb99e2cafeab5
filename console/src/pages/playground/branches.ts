/** A thread's checkpoints as the SDK has them: one after another, and forks into several such sequences. */
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

/** The branch that a checkpoint is on, by the name the SDK gives it; undefined for one that is not there. */
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
