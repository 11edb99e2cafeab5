import { defineRoute, type Route } from '../../platform/http/route.ts';
import { callerOf } from '../caller.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import { compileMasks, MaskRules } from './mask-rules.ts';
import { findMaskRules, saveMaskRules } from './mask-repository.ts';

const about = { tags: ['Masks'], path: '/platform/masks' } as const;

/** What a tenant has masked in its runs before they are stored; other processes hear of a change within 10 s. */
export const maskRoutes = ({ db, masks }: TracingDeps): Route[] => [
  defineRoute({
    ...about,
    method: 'get',
    operationId: 'readMasks',
    summary: 'What is masked in runs',
    responses: { 200: MaskRules },
    handle: async ({ ctx }) => ({ rules: await findMaskRules(db, callerOf(ctx).tenant_id) }),
  }),
  defineRoute({
    ...about,
    method: 'put',
    operationId: 'replaceMasks',
    summary: 'Replace what is masked in runs; what is stored already stays',
    body: MaskRules,
    responses: { 200: MaskRules, 422: { description: 'A pattern is none' } },
    handle: async ({ ctx, body: { rules } }) => {
      const { tenant_id } = callerOf(ctx);
      compileMasks(rules);
      await saveMaskRules(db, tenant_id, rules);
      masks.forget(tenant_id);
      return { rules };
    },
  }),
];
