import { defineRoute, type Route } from '../../platform/http/route.ts';
import { callerOf } from '../caller.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import { compileMasks, MaskRules } from '../masking/mask-rules.ts';
import { findMaskRules, saveMaskRules } from '../masking/mask-repository.ts';

const about = { tags: ['Masks'], path: '/platform/masks' } as const;

/** Masking rules applied to runs before they are stored. Other processes notice changes within 10 s. */
export const maskRoutes = ({ db, masks }: TracingDeps): Route[] => [
  defineRoute({
    ...about,
    method: 'get',
    operationId: 'readMasks',
    summary: 'Read the masking rules',
    responses: { 200: MaskRules },
    handle: async ({ ctx }) => ({ rules: await findMaskRules(db, callerOf(ctx).tenant_id) }),
  }),
  defineRoute({
    ...about,
    method: 'put',
    operationId: 'replaceMasks',
    summary: 'Replace the masking rules; stored runs stay unchanged',
    body: MaskRules,
    responses: { 200: MaskRules, 422: { description: 'Invalid pattern' } },
    handle: async ({ ctx, body: { rules } }) => {
      const { tenant_id } = callerOf(ctx);
      compileMasks(rules);
      await saveMaskRules(db, tenant_id, rules);
      masks.forget(tenant_id);
      return { rules };
    },
  }),
];
