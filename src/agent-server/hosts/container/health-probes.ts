import { createServer } from 'node:http';
import { listenAt } from '../listen-at.ts';

const OK = 200;
const UNAVAILABLE = 503;

/** Answers health probes on any path until the process ends: 200 while it is healthy, otherwise 503. */
export function answerProbes(address: string, isHealthy: () => boolean): Promise<void> {
  const server = createServer((_, response) => {
    const ok = isHealthy();
    response.writeHead(ok ? OK : UNAVAILABLE, { 'content-type': 'application/json', connection: 'close' });
    response.end(JSON.stringify({ ok }));
  });
  return listenAt(server, address);
}
