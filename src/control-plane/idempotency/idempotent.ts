import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import { defineError, PublicError } from '../../platform/errors.ts';
import { JsonText } from '../../platform/http/json-text.ts';
import type { Route } from '../../platform/http/route.ts';
import { principalOf } from '../principal.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { invalidField } from '../errors.ts';
import { abandonKey, claimKey, findKey, keepAnswer, releaseKey } from './idempotency-repository.ts';

const UnderWay = defineError(
  'UnderWay',
  409,
  () => 'A request with this Idempotency-Key is under way; try again',
);
const LOC = ['header', 'idempotency-key'];
const LONGEST_KEY = 255;

type Deps = Pick<ControlPlaneDeps, 'db' | 'box'>;

/**
 * Executes a POST or PATCH with an Idempotency-Key once: repeated within 24 h it gets the stored response with
 * `idempotent-replayed: true`. A different request with the same key is a 422, a concurrent one a 409. Refused
 * requests aren't stored.
 */
export const idempotent = (deps: Deps, route: Route): Route =>
  route.method !== 'post' && route.method !== 'patch'
    ? route
    : {
        ...route,
        handle(input) {
          const key = input.ctx.get('idempotency-key');
          if (!key) return route.handle(input);
          return handleOnce(deps, input.ctx, { key, body: input.body, work: () => route.handle(input) });
        },
      };

interface Once {
  key: string;
  body: unknown;
  work(): unknown;
}

async function handleOnce({ db, box }: Deps, ctx: Context, { key, body, work }: Once): Promise<unknown> {
  const principal = principalOf(ctx);
  const { tenant_id } = principal;
  if (key.length > LONGEST_KEY) throw invalidField(LOC, `A key has at most ${LONGEST_KEY} characters`);
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([ctx.method, ctx.path, body ?? null]))
    .digest('hex');
  const claimed = await claimKey(db, tenant_id, key, fingerprint);
  if (!claimed) return replay({ db, box }, ctx, { tenant_id, key, fingerprint });
  ctx.state['principal'] = { ...principal, seed: claimed.seed };
  let answer: unknown;
  try {
    answer = await work();
  } catch (error) {
    const refused = error instanceof PublicError && error.status < 500;
    // How far it got is unknown; a retry uses the same ids.
    await (refused ? releaseKey : abandonKey)(db, tenant_id, key);
    throw error;
  }
  const status = answer === undefined ? 204 : ctx.status === 404 ? 200 : ctx.status;
  const etag = String(ctx.response.get('etag')) || null;
  const text = answer === undefined ? null : JSON.stringify(answer);
  await keepAnswer(db, tenant_id, key, {
    status,
    etag,
    answer: text === null ? null : box.seal(text, about(tenant_id, key)),
  });
  return answer;
}

async function replay(
  { db, box }: Deps,
  ctx: Context,
  { tenant_id, key, fingerprint }: { tenant_id: string; key: string; fingerprint: string },
): Promise<unknown> {
  const found = await findKey(db, tenant_id, key);
  if (found && found.fingerprint !== fingerprint)
    throw invalidField(LOC, 'This key was used for another request');
  if (!found?.status) throw new UnderWay();
  ctx.status = found.status;
  ctx.set('idempotent-replayed', 'true');
  if (found.etag) ctx.set('etag', found.etag);
  return found.answer ? new JsonText(box.open(found.answer, about(tenant_id, key))) : undefined;
}

const about = (tenantId: string, key: string): string => `answer/${tenantId}/${key}`;
