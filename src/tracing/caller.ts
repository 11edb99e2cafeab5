import { AsyncResource } from 'node:async_hooks';
import { Readable } from 'node:stream';
import type { Context, Middleware } from 'koa';
import { defineError } from '../platform/errors.ts';
import { asTenant, EVERY_TENANT } from './security/tenant-scope.ts';
import type { Caller, TracingDeps } from './tracing-deps.ts';

const Forbidden = defineError('Forbidden', 403, () => 'Read-only API key');

// Open without a key: health, metadata and addresses that carry their own token (contract §1.2, §1.10, §1.13).
const OPEN =
  /^\/(?:ok|info|(?:v1\/)?(?:beacon|metadata\/submit)|(?:api\/v2\/)?public\/.+|feedback\/tokens\/[\w-]+|docs(?:\/[^/]*)?|openapi\.json)$/;
// Queries sent by POST because of their length. Anchored, because callers choose the ends of some paths.
const READS =
  /^\/(?:(?:api\/v2\/)?(?:runs|traces|threads)\/(?:query|stats|group)|charts(?:\/preview|\/(?:section\/)?[\da-f-]{36})?|sessions\/[\w-]+\/dashboard|(?:api\/v2\/)?datasets\/[\w-]+\/(?:(?:experiment-)?runs|search))$/i;

const LogsOnly = defineError('LogsOnly', 403, () => 'API key may only log runs');
// Writes allowed to log-only keys, and feedback tokens, which need no key.
const LOGS =
  /^(?:POST \/runs(?:\/batch|\/multipart)?|POST \/feedback\/tokens|POST \/otel\/v1\/(?:traces|logs|metrics)|PATCH \/runs\/[\w-]+)$/;

/** Authenticates the request and enforces read-only and log-only keys. */
export const authenticate =
  ({ authenticate }: Pick<TracingDeps, 'authenticate'>): Middleware =>
  async (ctx, next) => {
    if (ctx.method !== 'OPTIONS' && !OPEN.test(ctx.path)) {
      const caller = await authenticate(ctx);
      const logs = LOGS.test(`${ctx.method} ${ctx.path}`);
      if (!caller.reads && !logs) throw new LogsOnly();
      const reads =
        ctx.method === 'GET' || ctx.method === 'HEAD' || (ctx.method === 'POST' && READS.test(ctx.path));
      if (!reads && !caller.writes && !(logs && !caller.reads)) throw new Forbidden();
      ctx.state['caller'] = caller;
      return asTenant(caller.tenant_id, () => answer(ctx, next));
    }
    return asTenant(EVERY_TENANT, () => answer(ctx, next));
  };

/** Streamed bodies are read after the handlers return; binds them to the same tenant. */
async function answer(ctx: Context, next: () => Promise<unknown>): Promise<void> {
  await next();
  const body: unknown = ctx.body;
  if (body instanceof Readable) body._read = AsyncResource.bind(body._read.bind(body));
}

/** The authenticated caller. Only valid behind `authenticate`. */
export const callerOf = (ctx: Context): Caller => ctx.state['caller'] as Caller;
