import { Client } from '@langchain/langgraph-sdk';
import { agentPath } from './agent-assistants.ts';
import { ownHeaders } from './http.ts';

/** Subgraph events to show. Values and messages of subgraphs are not the thread's. */
const OF_SUBGRAPHS = /^(tasks|custom)\|/;

/** A client for the deployment's agent server that sends the session cookie and our CSRF header. */
export function agentClient(deploymentId: string): Client {
  const client = new Client({
    apiUrl: `${location.origin}${agentPath(deploymentId)}`,
    apiKey: null,
    defaultHeaders: ownHeaders(),
    // Shows errors promptly instead of retrying for long.
    callerOptions: { maxRetries: 1 },
  });
  const { runs } = client;
  const [stream, joinStream] = [runs.stream.bind(runs), runs.joinStream.bind(runs)];
  runs.stream = ((...args: Parameters<typeof stream>) => ofThread(stream(...args))) as typeof runs.stream;
  runs.joinStream = (...args) => ofThread(joinStream(...args));
  return client;
}

async function* ofThread<Event extends { id?: unknown; event: string; data: unknown }>(
  events: AsyncGenerator<Event>,
): AsyncGenerator<Event> {
  for await (const event of events)
    if (event.event.startsWith('tasks'))
      yield { ...event, data: { ...(event.data as object), at: timeOf(event.id) } };
    else if (!event.event.includes('|') || OF_SUBGRAPHS.test(event.event)) yield event;
}

/** Event ids begin with their creation time in ms, so that durations stay correct when events are read again. */
const timeOf = (id: unknown): number =>
  Number(/^\d+/.exec(typeof id === 'string' ? id : '')?.[0]) || Date.now();
