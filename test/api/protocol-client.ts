import { randomUUID } from 'node:crypto';
import { type EventFrame, readFrames } from '../support/event-frames.ts';
import type { Api } from '../support/use-api.ts';

export interface Event {
  type: 'event';
  event_id: string;
  seq: number;
  method: string;
  params: { namespace: string[]; timestamp: number; node?: string; data: any };
}

export const newThread = (): string => randomUUID();

/** Sends a command as clients do. Returns the response body. */
export async function command(api: { url: string }, thread: string, method: string, params: object = {}) {
  const answer = await fetch(`${api.url}/threads/${thread}/commands`, {
    method: 'POST',
    body: JSON.stringify({ id: 1, method, params }),
  });
  return (await answer.json()) as any;
}

export interface Reader {
  frames: EventFrame<Event>[];
  events: Event[];
  /** Resolves with the first matching event, past or future; rejects if the stream ends first. */
  until(matches: (event: Event) => boolean): Promise<Event>;
  /** Settles when the connection is closed. */
  gone: Promise<void>;
  close(): void;
}

/** Opens an event stream and reads it until it is closed. */
export async function openEvents(
  api: Pick<Api, 'url'>,
  thread: string,
  filter: object,
  headers: Record<string, string> = {},
): Promise<Reader> {
  const abort = new AbortController();
  const response = await fetch(`${api.url}/threads/${thread}/stream/events`, {
    method: 'POST',
    body: JSON.stringify(filter),
    headers,
    signal: abort.signal,
  });
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  const frames: EventFrame<Event>[] = [];
  const events: Event[] = [];
  const waiting = new Set<() => void>();
  let ended = false;
  const read = async () => {
    for await (const frame of readFrames<Event>(response)) {
      frames.push(frame);
      events.push(frame.data);
      for (const check of waiting) check();
    }
  };
  const gone = read()
    .catch(() => {})
    .then(() => {
      ended = true;
      for (const check of waiting) check();
    });
  return {
    frames,
    events,
    gone,
    close: () => abort.abort(),
    until: (matches) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const found = events.find(matches);
          if (found) resolve(found);
          else if (ended) reject(new Error(`The stream ended before: ${JSON.stringify(events.slice(-5))}`));
          if (found || ended) waiting.delete(check);
        };
        waiting.add(check);
        check();
      }),
  };
}

export const isRootEnd = ({ method, params }: Event): boolean =>
  method === 'lifecycle' &&
  params.namespace.length === 0 &&
  ['completed', 'failed', 'interrupted'].includes(params.data.event);

export const ALL = [
  'values',
  'updates',
  'messages',
  'tools',
  'lifecycle',
  'input',
  'tasks',
  'custom',
  'checkpoints',
];
