import { Client } from 'langgraph-sdk-1';
import { StreamOrchestrator } from 'langgraph-sdk-1/ui';
import type { Api } from '../support/use-api.ts';
import { eventually } from './js-sdk-clients.ts';

export interface Asked {
  method: string;
  /** Path with ids replaced by `T` and `R`. */
  path: string;
  body: any;
  lastEventId: string | null;
}

type Options = Partial<ConstructorParameters<typeof StreamOrchestrator>[0]> & { assistantId: string };

/** `useStream` without React: the hook only renders this object. */
export interface Hook {
  stream: StreamOrchestrator<any>;
  /** Every request since the start, in order. */
  asked: Asked[];
  /** The requests so far as `POST /threads/T/runs/stream`. */
  sequence(): string[];
  idle(): Promise<void>;
  /** Closes the page, which silently ends its streams. */
  close(): void;
}

export function openHook(api: Api, options: Options, threadId?: string): Hook {
  const asked: Asked[] = [];
  const page = new AbortController();
  const noting: typeof fetch = async (input, init) => {
    const { pathname } = new URL(input);
    const path = pathname
      .replace(/\/threads\/[0-9a-f-]{36}/, '/threads/T')
      .replace(/\/runs\/[0-9a-f-]{36}/, '/runs/R');
    const body = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined;
    asked.push({
      method: init?.method ?? 'GET',
      path,
      body,
      lastEventId: new Headers(init?.headers).get('last-event-id'),
    });
    const signals = [page.signal, ...(init?.signal ? [init.signal] : [])];
    return fetch(input, { ...init, signal: AbortSignal.any(signals) });
  };
  const client = new Client({
    apiUrl: api.url,
    apiKey: null as never,
    callerOptions: { maxRetries: 0, fetch: noting },
  });
  const stream = new StreamOrchestrator<any>({ ...options, client } as never, {
    getClient: () => client,
    getAssistantId: () => options.assistantId,
    getMessagesKey: () => 'messages',
  });
  stream.trackStreamMode('messages-tuple');
  stream.initThreadId(threadId);
  return {
    stream,
    asked,
    sequence: () => asked.map(({ method, path }) => `${method} ${path}`),
    idle: async () => void (await eventually(async () => !stream.isLoading && !stream.historyData.isLoading)),
    close: () => page.abort(),
  };
}
