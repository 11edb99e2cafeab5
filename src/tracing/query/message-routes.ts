import { Type } from 'typebox';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, StringEnum, Uuid } from '../../platform/schema.ts';
import { callerOf } from '../caller.ts';
import { RunNotFound } from '../errors.ts';
import { findRun } from '../runs/run-repository.ts';
import { viewRuns } from './run-view.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import { canonicalMessages, RunMessages } from '../messages/canonical-messages.ts';
import type { RunBodies } from '../messages/message-formats.ts';
import { withoutLargeMedia } from '../messages/media.ts';

export const messageRoutes = ({ db }: TracingDeps): Route[] => [
  defineRoute({
    method: 'get',
    path: '/runs/{run_id}/messages',
    operationId: 'readRunMessages',
    tags: ['Runs'],
    summary: "Read a run's messages in the platform's format, whatever format was logged",
    params: Type.Object({ run_id: Uuid }),
    // `hash` replaces media over 32 KB of base64 by their SHA-256.
    query: Type.Object({ media: StringEnum(['whole', 'hash'], { default: 'whole' }) }),
    responses: { 200: RunMessages, 404: Detail },
    handle: async ({ ctx, params: { run_id }, query: { media } }) => {
      const { tenant_id } = callerOf(ctx);
      const row = await findRun(db, tenant_id, run_id);
      if (!row) throw new RunNotFound(run_id);
      const [run] = await viewRuns(db, tenant_id, [row], { bodies: ['inputs', 'outputs'] });
      const read = canonicalMessages(run as RunBodies);
      return media === 'hash' ? { ...read, messages: withoutLargeMedia(read.messages) } : read;
    },
  }),
];
