import { useEffect, useState } from 'react';
import { readEvents } from '../api/event-stream.ts';
import { type LogLine, plainLine, withMore } from './log-lines.ts';

const GATHER_MS = 100;

export interface LogStream {
  lines: LogLine[];
  isLive: boolean;
  error: unknown;
}

/** Lines of a `log` event stream, sorted by time, until `end`. */
export function useLogStream(path: string): LogStream {
  const [stream, setStream] = useState<LogStream>({ lines: [], isLive: true, error: null });
  useEffect(() => {
    const aborter = new AbortController();
    let waiting: LogLine[] = [];
    const flush = (): void => {
      const some = waiting;
      waiting = [];
      if (some.length > 0) setStream((before) => ({ ...before, lines: withMore(before.lines, some) }));
    };
    // Batches lines to render a few times per second.
    const timer = setInterval(flush, GATHER_MS);
    const end = (error: unknown): void => {
      flush();
      if (!aborter.signal.aborted) setStream((before) => ({ ...before, isLive: false, error }));
    };
    setStream({ lines: [], isLive: true, error: null });
    const read = async (): Promise<void> => {
      for await (const { event, data } of readEvents(path, aborter.signal))
        if (event === 'log') waiting.push(plainLine(JSON.parse(data) as LogLine));
    };
    read().then(() => end(null), end);
    return () => {
      clearInterval(timer);
      aborter.abort();
    };
  }, [path]);
  return stream;
}
