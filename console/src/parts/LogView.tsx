import { Button, Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Icon } from './Icon.tsx';
import classes from './LogView.module.css';
import type { LogLine } from './log-lines.ts';
import { absoluteTime } from './TimeText.tsx';

export interface LogViewProps {
  label: string;
  lines: LogLine[];
  /** Whether more lines may arrive. */
  isLive: boolean;
  /** Shown while there are no lines. */
  empty: string;
}

const LEVELS = ['debug', 'info', 'warning', 'error'] as const;
const LINE_HEIGHT = 20;
const CLOCK = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
});
const rankOf = (level: string): number =>
  Math.max(
    0,
    LEVELS.indexOf(
      level
        .toLowerCase()
        .replace(/^warn$/, 'warning')
        .replace(/^(fatal|critical)$/, 'error') as never,
    ),
  );

/** Log lines with search, level filter and live tail. */
export function LogView({ label, lines, isLive, empty }: LogViewProps) {
  const [text, setText] = useState('');
  const [least, setLeast] = useState('0');
  const [follows, setFollows] = useState(isLive);
  const box = useRef<HTMLDivElement>(null);
  const shown = useMemo(() => {
    const wanted = text.toLowerCase();
    return lines.filter(
      ({ level, message }) =>
        rankOf(level) >= Number(least) && (!wanted || message.toLowerCase().includes(wanted)),
    );
  }, [lines, text, least]);
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => box.current,
    estimateSize: () => LINE_HEIGHT,
    getItemKey: (index) => shown[index]!.id,
    overscan: 20,
  });
  const total = virtual.getTotalSize();
  useEffect(() => {
    if (follows && shown.length > 0) virtual.scrollToIndex(shown.length - 1, { align: 'end' });
  }, [follows, shown.length, total]);

  return (
    <section className={classes.view} aria-label={label}>
      <div className={classes.bar}>
        <TextInput
          size="xs"
          className={classes.search}
          aria-label={`Search ${label}`}
          placeholder="Search"
          leftSection={<Icon name="search" size={13} />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <NativeSelect
          size="xs"
          aria-label="Minimum level"
          value={least}
          onChange={(event) => setLeast(event.currentTarget.value)}
          data={LEVELS.map((level, rank) => ({ value: String(rank), label: `${level} and up` }))}
        />
        <Checkbox
          size="xs"
          label="Follow"
          checked={follows}
          onChange={(event) => setFollows(event.currentTarget.checked)}
        />
        <span className={classes.count} role="status">
          {shown.length === lines.length
            ? `${lines.length} ${lines.length === 1 ? 'line' : 'lines'}`
            : `${shown.length} of ${lines.length} lines`}
          {isLive && ' · live'}
        </span>
        <Button
          variant="subtle"
          color="gray"
          disabled={lines.length === 0}
          onClick={() => download(label, lines)}
        >
          Download
        </Button>
      </div>
      <div
        ref={box}
        className={classes.lines}
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label={`Lines of ${label}`}
        onWheel={(event) => event.deltaY < 0 && setFollows(false)}
      >
        {shown.length === 0 && (
          <p className={classes.empty}>{lines.length === 0 ? empty : 'No matching lines.'}</p>
        )}
        <div style={{ height: total, position: 'relative' }}>
          {virtual.getVirtualItems().map(({ index, key, start }) => (
            <div
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              className={classes.line}
              style={{ transform: `translateY(${start}px)` }}
            >
              <Line {...shown[index]!} />
            </div>
          ))}
        </div>
      </div>
    </section>
  );
}

const Line = ({ timestamp, level, message }: LogLine) => {
  const time = new Date(timestamp).toISOString();
  return (
    <>
      <time className={classes.time} dateTime={time} title={`${absoluteTime(timestamp)} (${time})`}>
        {CLOCK.format(timestamp)}
      </time>
      <span className={classes.level} data-rank={rankOf(level)}>
        {level.toLowerCase()}
      </span>
      <span className={classes.message}>{message}</span>
    </>
  );
};

function download(label: string, lines: LogLine[]): void {
  const text = lines
    .map(({ timestamp, level, message }) => `${new Date(timestamp).toISOString()} ${level} ${message}\n`)
    .join('');
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${label.toLowerCase().replaceAll(/\W+/g, '-')}.log`;
  link.click();
  URL.revokeObjectURL(url);
}
