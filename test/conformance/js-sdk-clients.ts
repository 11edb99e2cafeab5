import { Client as Client2 } from '@langchain/langgraph-sdk';
import { Client as Client1 } from 'langgraph-sdk-1';
import type { Api } from '../support/use-api.ts';

export type SdkClient = Client2;
type SdkOptions = ConstructorParameters<typeof Client2>[0];

/** Both lines of the SDK: the one tagged latest, and the older number with the newer features. */
export const SDKS = [
  ['2.0.0', Client2],
  ['1.15.0', Client1 as unknown as typeof Client2],
] as const;

/** A client as users create it, but without retries, so that failures show at once. */
export function clientOf(Sdk: typeof Client2, api: Api, options: SdkOptions = {}): SdkClient {
  return new Sdk({
    apiUrl: api.url,
    apiKey: null as never,
    ...options,
    callerOptions: { maxRetries: 0, ...options?.callerOptions },
  });
}

/** Features of 1.15.0 that 2.0.0 lacks. */
export const client1Of = (api: Api): Client1 =>
  new Client1({ apiUrl: api.url, apiKey: null as never, callerOptions: { maxRetries: 0 } });

export interface Part {
  id?: string;
  event: string;
  data: any;
}

/** All parts of a stream. Ignores the nameless part that 2.0.0 returns for a heartbeat after an id. */
export async function collect(stream: AsyncIterable<unknown>): Promise<Part[]> {
  const parts: Part[] = [];
  for await (const part of stream) if ((part as Part).event !== '') parts.push(part as Part);
  return parts;
}

export const eventsOf = (parts: Part[]): string[] => parts.map(({ event }) => event);

/** A fetch that counts open streams; they include everything that happens from then on. */
export function countingFetch(): { fetch: typeof fetch; readonly opened: number } {
  let opened = 0;
  return {
    async fetch(input, init) {
      const response = await fetch(input, init);
      if (response.headers.get('content-type')?.includes('event-stream')) opened++;
      return response;
    },
    get opened() {
      return opened;
    },
  };
}

/** Repeats the request until the response is there, or the test times out. */
export async function eventually<T>(ask: () => Promise<T | undefined | false>): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** Waits until a worker has claimed the run. */
export const running = (client: SdkClient, run: { thread_id: string; run_id: string }) =>
  eventually(async () => (await client.runs.get(run.thread_id, run.run_id)).status === 'running');
