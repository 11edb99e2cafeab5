import { refusal } from './api-error.ts';
import { ownHeaders } from './http.ts';

export interface StreamEvent {
  event: string;
  data: string;
  id: string;
}

const AGAIN_MS = 1_000;

/**
 * Reads server-sent events until `signal` aborts or the server ends the stream. Reconnects after the last event;
 * `lastId` is where to start. EventSource cannot be used because it sends no headers. Throws ApiError.
 */
export async function* readEvents(
  path: string,
  signal: AbortSignal,
  lastId = '',
): AsyncGenerator<StreamEvent> {
  for (;;) {
    try {
      const response = await fetch(path, {
        headers: { ...ownHeaders(), accept: 'text/event-stream', ...(lastId && { 'last-event-id': lastId }) },
        signal,
      });
      if (!response.ok) throw refusal(response.status, await response.text(), response.headers);
      for await (const event of parse(response.body!)) {
        lastId = event.id || lastId;
        yield event;
      }
      return;
    } catch (error) {
      if (signal.aborted) return;
      // fetch reports lost connections as TypeError.
      if (!(error instanceof TypeError)) throw error;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}

async function* parse(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader();
  let rest = '';
  for (;;) {
    const { done, value = '' } = await reader.read();
    const parts = (rest + value).split(/\r?\n\r?\n/);
    rest = done ? '' : parts.pop()!;
    for (const part of parts) {
      const event = readEvent(part);
      if (event) yield event;
    }
    if (done) return;
  }
}

function readEvent(text: string): StreamEvent | undefined {
  const event: StreamEvent = { event: 'message', data: '', id: '' };
  const data: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const [, name, value = ''] = /^(\w+)(?:: ?(.*))?$/.exec(line) ?? [];
    if (name === 'data') data.push(value);
    else if (name === 'event' || name === 'id') event[name] = value;
  }
  return data.length > 0 ? { ...event, data: data.join('\n') } : undefined;
}
