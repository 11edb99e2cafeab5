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
 * Normalises a path that clients write with or without `/api`, `/api/v1` and a trailing slash (contract §1.1), for
 * routing and rate limits.
 */
export function canonicalPath(path: string): string {
  const whole = path.replace(/(?<=.)\/+$/, '');
  const bare = whole.replace(/^\/api(?:\/v1)?(?=\/(?!v\d+(?:\/|$)))/, '');
  return bare.replace(/^\/v1(?=\/platform(?:\/|$))/, '');
}

/** Whether a request belongs to tracing on a port shared with other services. */
export function isTracingPath(path: string): boolean {
  if (/^\/api(?:\/|$)/.test(path) || /^\/v1\/(?:platform|beacon|metadata)(?:\/|$)/.test(path)) return true;
  return HEADS.has(path.split('/', 2)[1] ?? '');
}
