import type { IncomingMessage } from 'node:http';

const CARD = String.raw`\.well-known/agent(?:-card)?\.json`;
// Requested without credentials: by load balancers, agent discovery, and script and style elements of UI components.
const OPEN = new RegExp(
  String.raw`^/(?:ok|${CARD}|a2a/[^/?]+/${CARD}|ui/[^/?]+/[\w.-]+\.(?:js|css))(?:\?|$)`,
);

/** Reads that use POST. */
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

/** Whether the path is open to everyone on every agent. */
export const isOpenPath = (request: IncomingMessage, path: string): boolean =>
  isPreflight(request) || (isLook(request) && OPEN.test(path));

/** Browsers send preflights without credentials; the project's CORS settings answer them. */
const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' &&
  headers.origin !== undefined &&
  headers['access-control-request-method'] !== undefined;

/** Whether the request changes nothing on the agent. */
export const isReading = (request: IncomingMessage, path: string): boolean =>
  (isLook(request) && !cancelsRun(path)) || (request.method === 'POST' && READ.test(path));

/** A read that cancels the run when the reader leaves. */
function cancelsRun(path: string): boolean {
  const asked = new URLSearchParams(path.split('?')[1]).getAll('cancel_on_disconnect');
  return asked.some((value) => value !== '0' && value !== 'false');
}
