import { Type } from 'typebox';
import { defineError } from '../../platform/errors.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { uuid7 } from '../../platform/ids.ts';
import { Detail, Timestamp, Uuid } from '../../platform/schema.ts';
import { callerOf } from '../caller.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import { deletePrice, insertPrice, listPrices, replacePrice } from './price-repository.ts';
import { PriceBody, PriceRow, readPrice } from './price-schemas.ts';
import type { Prices } from './prices.ts';
import { startRecompute } from './start-recompute.ts';

const PriceNotFound = defineError('PriceNotFound', 404, (id: string) => `Price ${id} not found`);
const TooManyPrices = defineError(
  'TooManyPrices',
  409,
  (most: number) => `The limit of ${most} prices is reached`,
);

const tags = ['Model prices'];
const params = Type.Object({ price_id: Uuid });

/** The tenant's own model prices (contract §1.13, §2.5). They apply to runs stored from then on. */
export const priceRoutes = (deps: TracingDeps, prices: Prices): Route[] => [
  defineRoute({
    method: 'get',
    path: '/model-price-map',
    operationId: 'listModelPrices',
    tags,
    summary: 'List own model prices in order of precedence',
    responses: { 200: Type.Array(PriceRow) },
    handle: ({ ctx }) => listPrices(deps.db, callerOf(ctx).tenant_id),
  }),
  defineRoute({
    method: 'post',
    path: '/model-price-map',
    operationId: 'createModelPrice',
    tags,
    summary: 'Create a price, which overrides public prices',
    body: PriceBody,
    responses: { 200: PriceRow, 409: Detail, 422: Detail },
    handle: async ({ ctx, body }) => {
      const { tenant_id } = callerOf(ctx);
      const most = deps.config.SLIPWAY_MODEL_PRICES;
      const price = await insertPrice(deps.db, tenant_id, uuid7(), readPrice(body), most);
      if (!price) throw new TooManyPrices(most);
      prices.forget(tenant_id);
      return price;
    },
  }),
  defineRoute({
    method: 'put',
    path: '/model-price-map/{price_id}',
    operationId: 'replaceModelPrice',
    tags,
    summary: 'Replace a price',
    params,
    body: PriceBody,
    responses: { 200: PriceRow, 404: Detail, 422: Detail },
    handle: async ({ ctx, params: { price_id }, body }) => {
      const { tenant_id } = callerOf(ctx);
      const price = await replacePrice(deps.db, tenant_id, price_id, readPrice(body));
      if (!price) throw new PriceNotFound(price_id);
      prices.forget(tenant_id);
      return price;
    },
  }),
  defineRoute({
    method: 'delete',
    path: '/model-price-map/{price_id}',
    operationId: 'deleteModelPrice',
    tags,
    summary: 'Delete a price',
    params,
    responses: { 204: { description: 'Removed' }, 404: Detail },
    handle: async ({ ctx, params: { price_id } }) => {
      const { tenant_id } = callerOf(ctx);
      if (!(await deletePrice(deps.db, tenant_id, price_id))) throw new PriceNotFound(price_id);
      prices.forget(tenant_id);
    },
  }),
  defineRoute({
    method: 'post',
    path: '/model-price-map/recompute',
    operationId: 'recomputeCosts',
    tags,
    summary: 'Recompute the costs of stored runs with the current prices',
    body: Type.Object({
      session_id: Type.Optional(Uuid),
      start_time: Type.Optional(Timestamp),
      end_time: Type.Optional(Timestamp),
    }),
    responses: { 202: Type.Object({ workflow_id: Type.String() }), 409: Detail },
    handle: async ({ ctx, body }) => {
      ctx.status = 202;
      return { workflow_id: await startRecompute(deps, { tenant_id: callerOf(ctx).tenant_id, ...body }) };
    },
  }),
];
