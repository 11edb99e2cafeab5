import type { Context, Middleware } from 'koa';
import { LRUCache } from 'lru-cache';
import { PublicError } from '../../platform/errors.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import { clientAddress, clientFinder } from './client-address.ts';
import { addressDigest, type Credential, credentialOf } from './identity.ts';
import { Limiters, type Verdict } from './limiters.ts';
import { type IdentityKind, LIMIT_ROWS } from './limit-rows.ts';
import { type Limit, limitsOf } from './limits.ts';
import { matchRow, PUBLIC_ROW } from './match-row.ts';

class TooManyRequests extends PublicError {
  override readonly name = 'TooManyRequests';
  readonly status = 429;
  override readonly headers: Record<string, string>;
  constructor(row: string, { limit, reset }: Verdict) {
    super(`More than ${limit.count} requests in ${limit.interval} s (${row}); retry in ${reset} s`);
    this.headers = { 'retry-after': String(reset) };
  }
}

const EXPOSED =
  'RateLimit, RateLimit-Policy, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset';
const KNOWN_MS = 60_000;
const MAX_CACHED = 10_000;

/** A row and its remaining requests. */
interface RowUse extends Limit {
  id: string;
  category: string;
  identity: IdentityKind;
  remaining: number;
  reset: number | null;
}

export interface RateLimit {
  arrive: Middleware;
  known: Middleware;
  /** All limited rows for the caller. */
  use(ctx: Context): Promise<RowUse[]>;
}

/**
 * Rejects requests over their row's limit (contract §3) before the body is read; Node drains the rest, so that the
 * client receives the response. `arrive` runs before authentication and `known` after it: a request counts for its
 * address until its key or user is authenticated, so that guessed keys create no buckets.
 */
export function rateLimit({ config, db }: Pick<TracingDeps, 'config' | 'db'>): RateLimit {
  const limits = limitsOf(config);
  const addressOf = clientAddress(config.SLIPWAY_TRUSTED_PROXIES);
  const findClient = clientFinder(config.SLIPWAY_TRUSTED_PROXIES);
  const credentialIn = ({ req }: Context): Credential | undefined => credentialOf(req, findClient(req));
  const limiters = new Limiters(limits, db, config.SLIPWAY_RATE_LIMIT_PROCESSES);
  const good = new LRUCache<string, true>({ max: MAX_CACHED, ttl: KNOWN_MS });

  const tell = (ctx: Context, row: string, verdict: Verdict | undefined): void => {
    if (!verdict) return;
    setHeaders(ctx, row, verdict);
    if (!verdict.isAllowed) throw new TooManyRequests(row, verdict);
  };
  const count = async (ctx: Context, credential: Credential | undefined, address: string): Promise<void> => {
    const row = matchRow(ctx.method, ctx.path, credential?.kind);
    const identity = row.identity === 'ip' || !credential ? addressDigest(address) : credential.digest;
    tell(ctx, row.id, await limiters.count(row.id, identity));
  };
  const countPublic = async (ctx: Context, address: string): Promise<void> =>
    tell(ctx, PUBLIC_ROW.id, await limiters.count(PUBLIC_ROW.id, addressDigest(address)));

  const use = async (ctx: Context): Promise<RowUse[]> => {
    const address = addressOf(ctx.req);
    const credential = credentialIn(ctx);
    const rows = LIMIT_ROWS.filter(
      ({ id, identity }) => limits.has(id) && (identity === 'ip' || identity === credential?.kind),
    );
    return Promise.all(
      rows.map(async ({ id, category, identity }) => {
        const by = identity === 'ip' || !credential ? addressDigest(address) : credential.digest;
        const limit = limits.get(id)!;
        const left = await limiters.look(id, by);
        return {
          id,
          category,
          identity,
          ...limit,
          remaining: left?.remaining ?? limit.count,
          reset: left?.reset ?? null,
        };
      }),
    );
  };

  return {
    use,
    async arrive(ctx, next) {
      if (limits.size === 0) return next();
      const address = addressOf(ctx.req);
      const credential = credentialIn(ctx);
      const isByAddress = matchRow(ctx.method, ctx.path, credential?.kind).identity === 'ip';
      if (isByAddress || !credential?.needsProof || good.has(credential.digest)) {
        await count(ctx, credential, address);
        return next();
      }
      const left = await limiters.look(PUBLIC_ROW.id, addressDigest(address));
      if (left && !left.isAllowed) tell(ctx, PUBLIC_ROW.id, left);
      ctx.state['unproved'] = { credential, address };
      try {
        return await next();
      } catch (error) {
        if (error instanceof PublicError && error.status === 401) await countPublic(ctx, address);
        throw error;
      }
    },
    async known(ctx, next) {
      const unproved = ctx.state['unproved'] as { credential: Credential; address: string } | undefined;
      if (unproved && (ctx.state['caller'] ?? ctx.state['principal'])) {
        good.set(unproved.credential.digest, true);
        await count(ctx, unproved.credential, unproved.address);
      } else if (unproved) await countPublic(ctx, unproved.address);
      return next();
    },
  };
}

/** Headers that all client versions read (contract §3.2), exposed to browsers too. */
function setHeaders(ctx: Context, row: string, { limit, remaining, reset }: Verdict): void {
  ctx.set({
    'ratelimit-policy': `"${row}";q=${limit.count};w=${limit.interval}`,
    ratelimit: `"${row}";r=${remaining};t=${reset}`,
    'x-ratelimit-limit': String(limit.count),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000) + reset),
    'access-control-expose-headers': EXPOSED,
  });
}
