import { AsyncResource } from 'node:async_hooks';
import { Readable } from 'node:stream';
import type { Context, Middleware } from 'koa';
import { defineError } from '../platform/errors.ts';
import { asTenant, EVERY_TENANT } from './security/tenant-scope.ts';
import type { Caller, TracingDeps } from './tracing-deps.ts';

const Forbidden = defineError('Forbidden', 403, () => 'This key may only read');

// For anyone: health, what clients may do, and addresses that say themselves who may (contract §1.2, §1.10, §1.13).
const OPEN =
  /^\/(?:ok|info|(?:v1\/)?(?:beacon|metadata\/submit)|(?:api\/v2\/)?public\/.+|feedback\/tokens\/[\w-]+|docs(?:\/[^/]*)?|openapi\.json)$/;
// Asked by POST, because it is long. From the first letter on: names that callers choose end paths, too.
const READS =
  /^\/(?:(?:api\/v2\/)?(?:runs|traces|threads)\/(?:query|stats|group)|charts(?:\/preview|\/(?:section\/)?[\da-f-]{36})?|sessions\/[\w-]+\/dashboard|(?:api\/v2\/)?datasets\/[\w-]+\/(?:(?:experiment-)?runs|search))$/i;

const LogsOnly = defineError('LogsOnly', 403, () => 'This key may only log runs');
// With the addresses at which who has no key says how a run was.
const LOGS =
  /^(?:POST \/runs(?:\/batch|\/multipart)?|POST \/feedback\/tokens|POST \/otel\/v1\/(?:traces|logs|metrics)|PATCH \/runs\/[\w-]+)$/;

/** Finds out who asks, and lets those who may only read, or only log, do no more. */
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

/** What is streamed is read when the request's handlers are through: it is read for the same tenant. */
async function answer(ctx: Context, next: () => Promise<unknown>): Promise<void> {
  await next();
  const body: unknown = ctx.body;
  if (body instanceof Readable) body._read = AsyncResource.bind(body._read.bind(body));
}

/** Who asks; only where `authenticate` let the request through. */
export const callerOf = (ctx: Context): Caller => ctx.state['caller'] as Caller;
