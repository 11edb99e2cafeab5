import { Type } from 'typebox';
import type { Context } from 'koa';
import { inPipeline } from '../../platform/db/database.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, JsonObject, StringEnum, Timestamp, Uuid } from '../../platform/schema.ts';
import { callerOf } from '../caller.ts';
import { FeedbackNotFound } from '../errors.ts';
import { looseBody } from '../request/loose-body.ts';
import { givenTexts, PAGE } from '../request/query-lists.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import { maskFields } from '../masking/mask-fields.ts';
import { FeedbackUpdate, readFeedback, TEXT_FIELDS } from './feedback.ts';
import { feedbackConfigRoutes } from './feedback-config-routes.ts';
import * as repository from './feedback-repository.ts';
import { feedbackTokenRoutes } from './feedback-token-routes.ts';

const Params = Type.Object({ feedback_id: Uuid });
const tags = ['Feedback'];
const Ids = Type.Optional(Type.Array(Uuid));

const Search = Type.Object({
  ...PAGE,
  run: Ids,
  session: Ids,
  key: Type.Optional(Type.Array(Type.String())),
  source: Type.Optional(Type.Array(Type.String())),
  user: Type.Optional(Type.Array(Type.String())),
  min_created_at: Type.Optional(Timestamp),
  max_created_at: Type.Optional(Timestamp),
  has_comment: Type.Optional(Type.Boolean()),
  has_score: Type.Optional(Type.Boolean()),
  level: Type.Optional(StringEnum(['run', 'session'])),
  comparative_experiment_id: Type.Optional(Uuid),
});

/** Feedback on runs and projects (contract §1.13). The run may arrive later. */
export const feedbackRoutes = (deps: TracingDeps): Route[] => {
  const { db, config, masks } = deps;
  const found = <Row>(row: Row | undefined, id: string): Row => {
    if (!row) throw new FeedbackNotFound(id);
    return row;
  };
  const bodyOf = (ctx: Context) => looseBody(ctx, config.SLIPWAY_TRACE_BODY_BYTES);
  return [
    ...feedbackTokenRoutes(deps),
    ...feedbackConfigRoutes(deps),
    defineRoute({
      method: 'post',
      path: '/feedback',
      operationId: 'createFeedback',
      tags,
      summary: 'Create feedback on a run or project, or replace it by id',
      responses: { 200: JsonObject, 422: Detail },
      handle: async ({ ctx }) => {
        const { tenant_id } = callerOf(ctx);
        const read = readFeedback(await bodyOf(ctx));
        const feedback = maskFields(read, TEXT_FIELDS, await masks.of(tenant_id));
        await inPipeline(db, repository.feedbackStatements(tenant_id, [feedback]));
        return repository.findFeedback(db, tenant_id, feedback.id);
      },
    }),
    defineRoute({
      method: 'get',
      path: '/feedback',
      operationId: 'listFeedback',
      tags,
      summary: 'List feedback, newest first',
      query: Search,
      responses: { 200: Type.Array(JsonObject) },
      handle: ({ ctx, query }) => {
        const texts = { key: givenTexts(ctx, 'key'), source: givenTexts(ctx, 'source') };
        return repository.listFeedback(db, callerOf(ctx).tenant_id, {
          ...query,
          ...texts,
        });
      },
    }),
    defineRoute({
      method: 'get',
      path: '/feedback/{feedback_id}',
      operationId: 'readFeedback',
      tags,
      summary: 'Read feedback',
      params: Params,
      responses: { 200: JsonObject, 404: Detail },
      handle: async ({ ctx, params: { feedback_id } }) =>
        found(await repository.findFeedback(db, callerOf(ctx).tenant_id, feedback_id), feedback_id),
    }),
    defineRoute({
      method: 'patch',
      path: '/feedback/{feedback_id}',
      operationId: 'updateFeedback',
      tags,
      summary: 'Update score, value, comment or correction',
      params: Params,
      body: FeedbackUpdate,
      responses: { 200: JsonObject, 404: Detail },
      handle: async ({ ctx, params: { feedback_id }, body }) => {
        const { tenant_id } = callerOf(ctx);
        const update = maskFields(body, ['value', 'comment', 'correction'], await masks.of(tenant_id));
        return found(await repository.updateFeedback(db, tenant_id, feedback_id, update), feedback_id);
      },
    }),
    defineRoute({
      method: 'delete',
      path: '/feedback/{feedback_id}',
      operationId: 'deleteFeedback',
      tags,
      summary: 'Delete feedback',
      params: Params,
      responses: { 200: JsonObject, 404: Detail },
      handle: async ({ ctx, params: { feedback_id } }) => {
        found(
          (await repository.deleteFeedback(db, callerOf(ctx).tenant_id, feedback_id)) || undefined,
          feedback_id,
        );
        return { message: 'Feedback deleted' };
      },
    }),
  ];
};
