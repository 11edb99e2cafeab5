const HEADS = new Set([
  'info',
  'auth',
  'runs',
  'sessions',
  'datasets',
  'examples',
  'feedback',
  'feedback-configs',
  'annotation-queues',
  'repos',
  'commits',
  'likes',
  'settings',
  'workspaces',
  'tenants',
  'public',
  'charts',
  'otel',
  'platform',
  'generate',
  'model-price-map',
  'bulk-exports',
]);

/**
 * The one spelling of a path that clients write with and without `/api`, `/api/v1` and a slash at its end (contract
 * §1.1): what is served, and what is counted.
 */
export function canonicalPath(path: string): string {
  const whole = path.replace(/(?<=.)\/+$/, '');
  const bare = whole.replace(/^\/api(?:\/v1)?(?=\/(?!v\d+(?:\/|$)))/, '');
  return bare.replace(/^\/v1(?=\/platform(?:\/|$))/, '');
}

/** Whether a request is for tracing, on a port that others answer on too. */
export function isTracingPath(path: string): boolean {
  if (/^\/api(?:\/|$)/.test(path) || /^\/v1\/(?:platform|beacon|metadata)(?:\/|$)/.test(path)) return true;
  return HEADS.has(path.split('/', 2)[1] ?? '');
}
