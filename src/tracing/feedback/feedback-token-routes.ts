import { randomUUID } from 'node:crypto';
import type { Context } from 'koa';
import { type Static, Type } from 'typebox';
import { inPipeline } from '../../platform/db/database.ts';
import { InvalidRequest } from '../../platform/errors.ts';
import { publicAddress } from '../../platform/http/public-address.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { compileValidator, Detail, JsonObject, OneOrMany, Uuid } from '../../platform/schema.ts';
import { callerOf } from '../caller.ts';
import { Expired, FeedbackTokenNotFound } from '../errors.ts';
import { readTime } from '../runs/run-time.ts';
import { maskFields } from '../masking/mask-fields.ts';
import { looseBody } from '../request/loose-body.ts';
import { PAGE } from '../request/query-lists.ts';
import { requireStorableQuery } from '../json/storable-json.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import { FeedbackConfig, FeedbackKey, FeedbackUpdate, readFeedback, TEXT_FIELDS } from './feedback.ts';
import { feedbackStatements } from './feedback-repository.ts';
import * as repository from './feedback-token-repository.ts';
import { insertFeedbackConfig } from './feedback-config-repository.ts';

const TokenCreate = Type.Object({
  id: Type.Optional(Uuid),
  run_id: Uuid,
  feedback_key: FeedbackKey,
  expires_in: Type.Optional(
    Type.Object({
      days: Type.Optional(Type.Number()),
      hours: Type.Optional(Type.Number()),
      minutes: Type.Optional(Type.Number()),
    }),
  ),
  expires_at: Type.Optional(Type.String()),
  feedback_config: Type.Optional(FeedbackConfig),
});
type TokenCreate = Static<typeof TokenCreate>;

const Token = Type.Object({ id: Uuid, url: Type.String(), expires_at: Type.String() });
const Given = Type.Object({ token: Uuid });
const tags = ['Feedback'];
const HOUR_MS = 3_600_000;
const DEFAULT_MS = 3 * HOUR_MS;
const LATEST_MS = 253_402_300_799_999;

/** URLs that accept feedback for one key and run without an API key (contract §1.13). */
export const feedbackTokenRoutes = ({ db, config, masks }: TracingDeps): Route[] => {
  const take = async (token: string, sent: unknown) => {
    const found = await repository.findFeedbackToken(db, token);
    if (!found) throw new FeedbackTokenNotFound();
    if (Date.parse(found.expires_at) <= Date.now()) throw new Expired();
    const update = checkUpdate(sent);
    const read = readFeedback({
      run_id: found.run_id,
      key: found.feedback_key,
      score: update.score,
      value: update.value,
      comment: update.comment,
      correction: update.correction,
      feedback_source: { type: 'api', metadata: { token } },
    });
    const feedback = maskFields(read, TEXT_FIELDS, await masks.of(found.tenant_id));
    await inPipeline(db, feedbackStatements(found.tenant_id, [feedback]));
    return { message: 'Feedback stored' };
  };
  return [
    defineRoute({
      method: 'post',
      path: '/feedback/tokens',
      operationId: 'createFeedbackTokens',
      tags,
      summary: 'Create feedback tokens, whose URLs accept feedback without an API key',
      body: OneOrMany(TokenCreate),
      responses: { 200: OneOrMany(Token) },
      handle: async ({ ctx, body }) => {
        const { tenant_id } = callerOf(ctx);
        const requests = Array.isArray(body) ? body : [body];
        const tokens = await repository.insertFeedbackTokens(db, tenant_id, requests.map(newToken));
        for (const { feedback_key, feedback_config } of requests)
          if (feedback_config)
            await insertFeedbackConfig(db, tenant_id, {
              feedback_key,
              feedback_config,
              is_lower_score_better: false,
            });
        const views = tokens.map((token) => view(ctx, token));
        return Array.isArray(body) ? views : views[0];
      },
    }),
    defineRoute({
      method: 'get',
      path: '/feedback/tokens',
      operationId: 'listFeedbackTokens',
      tags,
      summary: 'List the feedback tokens of a run',
      query: Type.Object({ ...PAGE, run_id: Uuid }),
      responses: { 200: Type.Array(Token) },
      handle: async ({ ctx, query }) => {
        const rows = await repository.listFeedbackTokens(db, callerOf(ctx).tenant_id, query.run_id, query);
        return rows.map((row) => view(ctx, row));
      },
    }),
    defineRoute({
      method: 'get',
      path: '/feedback/tokens/{token}',
      operationId: 'giveFeedbackByLink',
      tags,
      summary: 'Submit feedback by following a link',
      params: Given,
      query: Type.Object({
        score: Type.Optional(Type.Union([Type.Number(), Type.Boolean()])),
        value: Type.Optional(Type.String()),
        comment: Type.Optional(Type.String()),
        correction: Type.Optional(Type.String()),
      }),
      responses: { 200: JsonObject, 404: Detail, 410: Detail },
      handle: ({ ctx, params, query }) => {
        requireStorableQuery(ctx.querystring);
        return take(params.token, query);
      },
    }),
    defineRoute({
      method: 'post',
      path: '/feedback/tokens/{token}',
      operationId: 'giveFeedback',
      tags,
      summary: 'Submit feedback by token',
      params: Given,
      responses: { 200: JsonObject, 404: Detail, 410: Detail },
      handle: async ({ ctx, params }) =>
        take(params.token, await looseBody(ctx, config.SLIPWAY_TRACE_BODY_BYTES)),
    }),
  ];
};

const checkUpdate = compileValidator(FeedbackUpdate, 'body');

const newToken = ({ id, run_id, feedback_key, ...requests }: TokenCreate): repository.NewFeedbackToken => ({
  id: id ?? randomUUID(),
  run_id,
  feedback_key,
  expires_at: expiryOf(requests),
});

function expiryOf({ expires_at, expires_in }: Pick<TokenCreate, 'expires_at' | 'expires_in'>): string {
  if (expires_at) {
    const time = readTime(expires_at);
    if (!time) throw new InvalidRequest('expires_at is not a valid time');
    return time;
  }
  const { days = 0, hours = 0, minutes = 0 } = expires_in ?? {};
  const ms = expires_in ? (days * 24 + hours + minutes / 60) * HOUR_MS : DEFAULT_MS;
  return new Date(Math.min(Math.max(Date.now() + ms, 0), LATEST_MS)).toISOString();
}

function view(ctx: Context, { id, expires_at }: repository.FeedbackToken) {
  const { protocol, host, prefix } = publicAddress(ctx);
  return { id, url: `${protocol}://${host}${prefix}/api/v1/feedback/tokens/${id}`, expires_at };
}
