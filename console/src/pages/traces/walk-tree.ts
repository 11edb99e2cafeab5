import type { KeyboardEvent } from 'react';
import type { Span } from './trace-tree.ts';

/** Element id of a row. */
export const rowId = (runId: string): string => `run-${runId}`;

const PAGE = 15;

export interface TreeWalk {
  shown: Span[];
  /** Index of the selected row; -1 for none. */
  at: number;
  closed: ReadonlySet<string>;
  onSelect: (runId: string) => void;
  setOpen: (runIds: string[], isOpen: boolean) => void;
}

/**
 * Keyboard navigation of a tree (WAI-ARIA): arrows move, expand and collapse; Home, End and paging keys; `*` expands
 * siblings.
 */
export function walkTree(event: KeyboardEvent, { shown, at, closed, onSelect, setOpen }: TreeWalk): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const span = shown[at];
  const last = shown.length - 1;
  const goTo = (place: number): void => {
    const wanted = shown[Math.min(Math.max(place, 0), last)];
    if (wanted) onSelect(wanted.run.id);
  };
  const isOpen = span !== undefined && span.children.length > 0 && !closed.has(span.run.id);
  const steps: Record<string, () => void> = {
    ArrowDown: () => goTo(at + 1),
    ArrowUp: () => goTo(at - 1),
    PageDown: () => goTo(at + PAGE),
    PageUp: () => goTo(at - PAGE),
    Home: () => goTo(0),
    End: () => goTo(last),
    ArrowRight: () => {
      if (isOpen) goTo(at + 1);
      else if (span) setOpen([span.run.id], true);
    },
    ArrowLeft: () => {
      if (isOpen) setOpen([span.run.id], false);
      else if (span?.parent) onSelect(span.parent.run.id);
    },
    '*': () => setOpen(span?.parent?.children.map(({ run }) => run.id) ?? [], true),
  };
  const step = steps[event.key];
  if (!step) return;
  event.preventDefault();
  step();
}
