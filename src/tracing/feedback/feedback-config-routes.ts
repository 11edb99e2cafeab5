import { Type } from 'typebox';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, JsonObject } from '../../platform/schema.ts';
import { callerOf } from '../caller.ts';
import { FeedbackConfigDiffers, FeedbackConfigNotFound } from '../errors.ts';
import { givenTexts, PAGE } from '../request/query-lists.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import { FeedbackConfig, FeedbackKey } from './feedback.ts';
import * as repository from './feedback-config-repository.ts';

const path = '/feedback-configs';
const tags = ['Feedback'];

/** Feedback key configurations (contract §1.13). */
export const feedbackConfigRoutes = ({ db }: TracingDeps): Route[] => [
  defineRoute({
    method: 'post',
    path,
    operationId: 'createFeedbackConfig',
    tags,
    summary: 'Configure a feedback key',
    body: Type.Object({
      feedback_key: FeedbackKey,
      feedback_config: FeedbackConfig,
      is_lower_score_better: Type.Optional(Type.Boolean()),
    }),
    responses: { 200: JsonObject, 400: Detail },
    handle: async ({ ctx, body }) => {
      const row = await repository.insertFeedbackConfig(db, callerOf(ctx).tenant_id, body);
      if (!row) throw new FeedbackConfigDiffers(body.feedback_key);
      return row;
    },
  }),
  defineRoute({
    method: 'get',
    path,
    operationId: 'listFeedbackConfigs',
    tags,
    summary: 'List feedback key configurations',
    query: Type.Object({
      ...PAGE,
      key: Type.Optional(Type.Array(Type.String())),
      name_contains: Type.Optional(Type.String()),
    }),
    responses: { 200: Type.Array(JsonObject) },
    handle: ({ ctx, query }) =>
      repository.listFeedbackConfigs(db, callerOf(ctx).tenant_id, { ...query, key: givenTexts(ctx, 'key') }),
  }),
  defineRoute({
    method: 'patch',
    path,
    operationId: 'updateFeedbackConfig',
    tags,
    summary: 'Update the configuration of a feedback key',
    body: Type.Object({
      feedback_key: FeedbackKey,
      feedback_config: Type.Optional(FeedbackConfig),
      is_lower_score_better: Type.Optional(Type.Boolean()),
    }),
    responses: { 200: JsonObject, 404: Detail },
    handle: async ({ ctx, body }) => {
      const row = await repository.updateFeedbackConfig(db, callerOf(ctx).tenant_id, body);
      if (!row) throw new FeedbackConfigNotFound(body.feedback_key);
      return row;
    },
  }),
  defineRoute({
    method: 'delete',
    path,
    operationId: 'deleteFeedbackConfig',
    tags,
    summary: 'Delete the configuration of a feedback key',
    query: Type.Object({ feedback_key: FeedbackKey }),
    responses: { 204: { description: 'Deleted' }, 404: Detail },
    handle: async ({ ctx, query: { feedback_key } }) => {
      if (!(await repository.deleteFeedbackConfig(db, callerOf(ctx).tenant_id, feedback_key)))
        throw new FeedbackConfigNotFound(feedback_key);
    },
  }),
];
