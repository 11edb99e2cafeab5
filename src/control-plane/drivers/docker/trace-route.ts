import { LOOPBACK } from '../../../platform/embedded/ports.ts';

const PORT = 2_023;
const HTTP_PORT = 80;
const ENDPOINTS = ['LANGSMITH_ENDPOINT', 'LANGCHAIN_ENDPOINT'];

export interface TraceRoute {
  /** The variables that make clients log runs, as graph hosts get them. */
  tracing: Record<string, string>;
  /** SLIPWAY_HOST_RELAY of server and host; undefined if hosts reach the endpoint themselves. */
  relays?: { server: string; host: string };
}

/**
 * Leads runs that are logged over HTTP through the server: the platform may listen on loopback, or in a network that
 * graph hosts are not in. An endpoint with TLS is taken to be public, and its certificate is for its name.
 */
export function traceRoute(tracing: Record<string, string>, socket: string): TraceRoute {
  const endpoint = ENDPOINTS.map((name) => tracing[name]).find((url) => url?.startsWith('http:'));
  if (endpoint === undefined) return { tracing };
  const { hostname, port, pathname } = new URL(endpoint);
  const inside = `http://${LOOPBACK}:${PORT}${pathname.replace(/\/$/, '')}`;
  const led = Object.entries(tracing).map(([name, value]) => [
    name,
    ENDPOINTS.includes(name) && value === endpoint ? inside : value,
  ]);
  return {
    tracing: Object.fromEntries(led) as Record<string, string>,
    relays: {
      server: `${socket} tcp:${hostname.replace(/^\[(.*)\]$/, '$1')}:${port || HTTP_PORT}`,
      host: `tcp:${LOOPBACK}:${PORT} ${socket}`,
    },
  };
}
