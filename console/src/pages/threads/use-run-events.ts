import { useEffect, useState } from 'react';
import { readEvents } from '../../api/event-stream.ts';
import { runStreamPath } from '../../api/agent-threads.ts';

export interface RunEvent {
  id: string;
  name: string;
  data: unknown;
}

const MAX = 2_000;
/** Last-Event-ID that replays all stored events. */
const FROM_START = '-1';

/** Streams the events of a run, including earlier ones if they are stored. */
export function useRunEvents(
  deploymentId: string,
  threadId: string,
  runId: string,
): { events: RunEvent[]; isOpen: boolean; error: unknown } {
  const [events, setEvents] = useState<RunEvent[]>([]);
  const [isOpen, setOpen] = useState(true);
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const ending = new AbortController();
    let waiting: RunEvent[] = [];
    // Events arrive in bursts; render once per frame.
    let frame = 0;
    const show = (): void => {
      frame = 0;
      const received = waiting;
      waiting = [];
      setEvents((before) => [...before, ...received].slice(-MAX));
    };
    const follow = async (): Promise<void> => {
      let count = 0;
      for await (const { id, event, data } of readEvents(
        runStreamPath(deploymentId, threadId, runId),
        ending.signal,
        FROM_START,
      )) {
        waiting.push({ id: id || `at-${count}`, name: event, data: parsed(data) });
        count += 1;
        frame ||= requestAnimationFrame(show);
      }
    };
    setEvents([]);
    setOpen(true);
    setError(undefined);
    follow()
      .catch((caught: unknown) => {
        if (!ending.signal.aborted) setError(caught);
      })
      .finally(() => {
        if (!ending.signal.aborted) setOpen(false);
      });
    return () => {
      ending.abort();
      cancelAnimationFrame(frame);
    };
  }, [deploymentId, threadId, runId]);
  return { events, isOpen, error };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
