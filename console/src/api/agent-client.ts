import { Client } from '@langchain/langgraph-sdk';
import { agentPath } from './agent-assistants.ts';
import { ownHeaders } from './http.ts';

/** What of a subgraph is shown; its values and messages are not those of the thread. */
const OF_SUBGRAPHS = /^(tasks|custom)\|/;

/** A client of a deployment's agent server: with the session's cookie, and what shows that one of our pages asks. */
export function agentClient(deploymentId: string): Client {
  const client = new Client({
    apiUrl: `${location.origin}${agentPath(deploymentId)}`,
    apiKey: null,
    defaultHeaders: ownHeaders(),
    // What is refused is told at once.
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

/** An event's id begins with when it was made, in ms: what is read again later took as long as it did. */
const timeOf = (id: unknown): number =>
  Number(/^\d+/.exec(typeof id === 'string' ? id : '')?.[0]) || Date.now();
