import { TextInput } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState } from 'react';
import { durationText } from '../../parts/Duration.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { countText } from './numbers.tsx';
import { TraceRow } from './TraceRow.tsx';
import classes from './TraceTree.module.css';
import { shownSpans, type Trace } from './trace-tree.ts';
import { rowId, walkTree } from './walk-tree.ts';

const ROW_HEIGHT = 30;

/** Runs of a trace as a virtualised tree with a timeline. */
export function TraceTree({
  trace,
  selected,
  onSelect,
}: {
  trace: Trace;
  selected: string;
  onSelect: (runId: string) => void;
}) {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [text, setText] = useState('');
  const box = useRef<HTMLDivElement>(null);
  const shown = useMemo(() => shownSpans(trace, closed, text), [trace, closed, text]);
  const at = shown.findIndex(({ run }) => run.id === selected);
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 15,
  });
  useEffect(() => {
    if (at >= 0) virtual.scrollToIndex(at, { align: 'auto' });
  }, [at]);
  const setOpen = (ids: string[], isOpen: boolean): void =>
    setClosed((before) => {
      const after = new Set(before);
      for (const id of ids)
        if (isOpen) after.delete(id);
        else after.add(id);
      return after;
    });
  const withChildren = (): string[] =>
    [...trace.byId.values()].flatMap(({ run, children, depth }) =>
      children.length > 0 && depth > 0 ? [run.id] : [],
    );
  const items = virtual.getVirtualItems();
  const isDrawn = items.some(({ index }) => index === at);
  return (
    <div className={classes.pane}>
      <div className={classes.tools}>
        <TextInput
          size="xs"
          aria-label="Search runs of this trace"
          placeholder="Search by name, type or status"
          leftSection={<Icon name="search" size={13} />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          className={classes.find}
        />
        <button
          type="button"
          className={classes.fold}
          onClick={() => (closed.size > 0 ? setClosed(new Set()) : setOpen(withChildren(), false))}
        >
          {closed.size > 0 ? 'Expand all' : 'Collapse all'}
        </button>
        <span className={classes.count} role="status">
          {text ? `${countText(shown.length)} of ` : ''}
          {countText(trace.byId.size)} {trace.byId.size === 1 ? 'run' : 'runs'}
        </span>
      </div>
      <div className={classes.scale} aria-hidden="true">
        <span>0</span>
        <span>{durationText(trace.duration / 2)}</span>
        <span>{durationText(trace.duration)}</span>
      </div>
      <div
        ref={box}
        className={classes.box}
        role="tree"
        aria-label="Runs of the trace"
        aria-activedescendant={isDrawn ? rowId(selected) : undefined}
        tabIndex={0}
        onKeyDown={(event) => walkTree(event, { shown, at, closed, onSelect, setOpen })}
      >
        <div role="none" style={{ position: 'relative', height: virtual.getTotalSize() }}>
          {items.map(({ index, start }) => {
            const span = shown[index]!;
            return (
              <TraceRow
                key={span.run.id}
                span={span}
                top={start}
                duration={trace.duration}
                isOpen={text !== '' || !closed.has(span.run.id)}
                isSelected={index === at}
                onSelect={() => onSelect(span.run.id)}
                onOpen={(isOpen) => setOpen([span.run.id], isOpen)}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}
