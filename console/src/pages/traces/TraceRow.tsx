import { memo } from 'react';
import { durationText } from '../../parts/Duration.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { RunMark } from './RunMark.tsx';
import classes from './TraceTree.module.css';
import type { Span } from './trace-tree.ts';
import { rowId } from './walk-tree.ts';

export interface TraceRowProps {
  span: Span;
  top: number;
  /** Duration of the trace in ms. */
  duration: number;
  isOpen: boolean;
  isSelected: boolean;
  onSelect: () => void;
  onOpen: (isOpen: boolean) => void;
}

const MAX_DEPTH = 12;

/** A run in the tree, with its bar in the timeline. */
export const TraceRow = memo(function TraceRow(props: TraceRowProps) {
  const { span, top, duration, isOpen, isSelected, onSelect, onOpen } = props;
  const { run, depth, children, start, end, place, parent } = span;
  const hasChildren = children.length > 0;
  return (
    <div
      id={rowId(run.id)}
      role="treeitem"
      aria-level={depth + 1}
      aria-posinset={place}
      aria-setsize={parent?.children.length ?? place}
      aria-expanded={hasChildren ? isOpen : undefined}
      aria-selected={isSelected}
      className={classes.row}
      style={{ transform: `translateY(${top}px)` }}
      onClick={onSelect}
    >
      <span className={classes.name} style={{ paddingLeft: 6 + Math.min(depth, MAX_DEPTH) * 14 }}>
        <span
          className={classes.opener}
          data-open={isOpen || undefined}
          aria-hidden="true"
          onClick={(event) => {
            if (!hasChildren) return;
            event.stopPropagation();
            onOpen(!isOpen);
          }}
        >
          {hasChildren && <Icon name="chevron" size={11} />}
        </span>
        <RunMark type={run.run_type} status={run.status} />
        <span className="truncate" title={run.name}>
          {run.name}
        </span>
      </span>
      <span className={`${classes.time} numeric`}>
        {run.end_time === null ? 'running' : durationText(end - start)}
      </span>
      <span className={classes.lane} aria-hidden="true">
        <span
          className={classes.bar}
          data-type={run.run_type}
          data-status={run.status}
          style={{ left: percent(start / duration), width: percent((end - start) / duration) }}
        />
      </span>
    </div>
  );
}, isDrawnAlike);

const percent = (share: number): string => `${(share * 100).toFixed(3)}%`;

function isDrawnAlike(one: TraceRowProps, other: TraceRowProps): boolean {
  return (
    one.span === other.span &&
    one.top === other.top &&
    one.isOpen === other.isOpen &&
    one.isSelected === other.isSelected
  );
}
