import type { Context, Middleware } from 'koa';

export interface CorsOptions {
  allow_origins?: string[];
  allow_origin_regex?: string;
  allow_methods?: string[];
  allow_headers?: string[];
  allow_credentials?: boolean;
  expose_headers?: string[];
  max_age?: number;
}

// Headers that browser clients need for paging and resuming.
const EXPOSED = ['x-pagination-total', 'x-pagination-next', 'content-location', 'location', 'x-request-id'];
const METHODS = 'GET,POST,PUT,PATCH,DELETE,OPTIONS,HEAD';

/**
 * Applies the configured CORS rules (contract §14); by default allows any origin without credentials. Answers
 * preflight requests.
 */
export function cors(options: CorsOptions): Middleware {
  const isLimited = options.allow_credentials === true || options.allow_origin_regex !== undefined;
  const origins = options.allow_origins ?? (isLimited ? [] : ['*']);
  const named = namedOrigins(options);
  const allowed = (origin: string) => origins.includes('*') || named(origin);
  const exposed = [...new Set([...EXPOSED, ...(options.expose_headers ?? [])])].join(',');

  return async (ctx, next) => {
    const origin = ctx.get('origin');
    if (origin && allowed(origin)) {
      const any = origins.includes('*') && !options.allow_credentials;
      ctx.set('access-control-allow-origin', any ? '*' : origin);
      if (!any) ctx.vary('origin');
      if (options.allow_credentials) ctx.set('access-control-allow-credentials', 'true');
      ctx.set('access-control-expose-headers', exposed);
    }
    if (origin && ctx.method === 'OPTIONS' && ctx.get('access-control-request-method'))
      preflight(ctx, options);
    else await next();
  };
}

/** Matches the origins that the configuration names; `*` doesn't count as a name. */
export function namedOrigins({ allow_origins = [], allow_origin_regex }: CorsOptions = {}): (
  origin: string,
) => boolean {
  const pattern = allow_origin_regex ? new RegExp(`^(?:${allow_origin_regex})$`) : undefined;
  return (origin) => origin !== '*' && (allow_origins.includes(origin) || !!pattern?.test(origin));
}

function preflight(ctx: Context, options: CorsOptions): void {
  ctx.set('access-control-allow-methods', options.allow_methods?.join(',') ?? METHODS);
  const headers = options.allow_headers?.includes('*') ? undefined : options.allow_headers?.join(',');
  ctx.set('access-control-allow-headers', headers ?? (ctx.get('access-control-request-headers') || '*'));
  ctx.set('access-control-max-age', String(options.max_age ?? 600));
  if (ctx.get('access-control-request-private-network'))
    ctx.set('access-control-allow-private-network', 'true');
  ctx.status = 204;
}
