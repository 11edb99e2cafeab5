import type { IncomingMessage } from 'node:http';
import { Type } from 'typebox';
import { InvalidJson, TooLarge } from '../../platform/errors.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, Uuid } from '../../platform/schema.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { findIntegration, openWebhookSecret } from '../integrations/integration-repository.ts';
import { digestOf, UnsignedEvent, verifyEvent } from './event-signature.ts';
import { GitEventAnswer } from './git-event-answer.ts';
import { handleGitEvent } from './git-event-service.ts';
import { readGithubEvent } from './github-events.ts';
import { readGitlabEvent } from './gitlab-events.ts';

/** Receives pushes and pull requests from git hosts, authenticated by signature only. */
export const gitEventRoute = (deps: ControlPlaneDeps): Route =>
  defineRoute({
    method: 'post',
    path: '/v2/git-events/{integration_id}',
    operationId: 'receiveGitEvent',
    tags: ['Integrations'],
    summary: 'Receive a push or pull request event, signed as GitHub or GitLab do',
    params: Type.Object({ integration_id: Uuid }),
    responses: { 200: GitEventAnswer, 401: Detail, 413: Detail, 422: { description: 'No such event' } },
    async handle({ params: { integration_id }, ctx }) {
      const integration = await findIntegration(deps.db, integration_id);
      const secret = integration && openWebhookSecret(deps.box, integration);
      if (!integration || !secret) throw new UnsignedEvent();
      const body = await readRaw(ctx.req, deps.config.SLIPWAY_GIT_EVENT_LIMIT_BYTES).catch(
        (error: unknown) => {
          // Doesn't wait for the rest of the body.
          ctx.set('connection', 'close');
          throw error;
        },
      );
      const header = (name: string): string => ctx.get(name);
      const { delivery_id, is_id_signed, sent_at } = verifyEvent(integration.kind, { header, body }, secret);
      const read = integration.kind === 'github' ? readGithubEvent : readGitlabEvent;
      const name = header(integration.kind === 'github' ? 'x-github-event' : 'x-gitlab-event');
      return handleGitEvent(deps, {
        integration,
        delivery_id: delivery_id.slice(0, 200),
        digest: is_id_signed ? null : digestOf(body),
        sent_at,
        event: read(name, parse(body, ctx.get('content-type'))),
      });
    },
  });

async function readRaw(request: IncomingMessage, limit: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw new TooLarge(limit);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw new TooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** GitHub sends JSON, or a form with the JSON in `payload`, as the webhook's owner chose. */
function parse(body: Buffer, type: string): unknown {
  const text = body.toString('utf8');
  const form = type.startsWith('application/x-www-form-urlencoded');
  try {
    return JSON.parse(form ? (new URLSearchParams(text).get('payload') ?? '') : text);
  } catch {
    throw new InvalidJson();
  }
}
