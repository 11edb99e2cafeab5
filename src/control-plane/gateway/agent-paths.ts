import type { IncomingMessage } from 'node:http';

const CARD = String.raw`\.well-known/agent(?:-card)?\.json`;
// What is asked by those that have no key yet: load balancers, agents that look for agents, and the script and style
// elements of a component's user interface.
const OPEN = new RegExp(
  String.raw`^/(?:ok|${CARD}|a2a/[^/?]+/${CARD}|ui/[^/?]+/[\w.-]+\.(?:js|css))(?:\?|$)`,
);

/** What is read by POST. */
const READ = new RegExp(
  `^/(?:${[
    '(?:assistants|threads|runs|runs/crons)/(?:search|count|stats)',
    'store/(?:items/search|namespaces)',
    'assistants/[^/?]+/versions',
    'threads/[^/?]+/(?:history|state/checkpoint|stream/events)',
  ].join('|')})(?:\\?|$)`,
);
const isLook = ({ method, headers }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'HEAD') && !headers.upgrade;

/** Whether a request to an agent needs no credentials, whosever the agent is. */
export const isOpenPath = (request: IncomingMessage, path: string): boolean =>
  isPreflight(request) || (isLook(request) && OPEN.test(path));

/** A browser sends no credentials with it, and what the project allows is its answer. */
const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' &&
  headers.origin !== undefined &&
  headers['access-control-request-method'] !== undefined;

/** Whether a request to an agent changes nothing there. */
export const isReading = (request: IncomingMessage, path: string): boolean =>
  (isLook(request) && !cancelsRun(path)) || (request.method === 'POST' && READ.test(path));

/** Who reads a run so takes it along when leaving. */
function cancelsRun(path: string): boolean {
  const asked = new URLSearchParams(path.split('?')[1]).getAll('cancel_on_disconnect');
  return asked.some((value) => value !== '0' && value !== 'false');
}
