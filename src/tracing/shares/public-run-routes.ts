import { Type } from 'typebox';
import { defineError } from '../../platform/errors.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { isUuid } from '../../platform/ids.ts';
import { Detail, JsonObject, Uuid } from '../../platform/schema.ts';
import { RunNotFound } from '../errors.ts';
import { viewRuns } from '../runs/run-view.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import { findShare } from './share-repository.ts';
import { listSharedRuns, readCursor, writeCursor } from './shared-runs.ts';

const NotShared = defineError('NotShared', 404, () => 'Nothing is shared under this token');

const PAGE = 100;
// Clients of the list ask for no more pages; each page inflates bodies, so there is an end to it.
const MOST_RUNS = 1_000;
const tags = ['Shares'];
const Token = { share_token: Uuid };
const Ids = Type.Array(Uuid, { maxItems: 1000 });

/** What a token opens, for anyone: the runs of one trace (contract §1.13). */
export const publicRunRoutes = ({ db }: TracingDeps): Route[] => {
  const read = async (token: string, asked: { ids?: string[]; after?: string; limit: number }) => {
    const share = await findShare(db, token);
    if (!share) throw new NotShared();
    const { rows, next } = await listSharedRuns(db, share, asked);
    return { share, next, runs: await viewRuns(db, share.tenant_id, rows) };
  };
  const readOne = async (token: string, id?: string) => {
    const share = await findShare(db, token);
    if (!share) throw new NotShared();
    const wanted = id ?? share.run_id;
    const { runs } = await read(token, { ids: [wanted], limit: 1 });
    if (!runs[0]) throw new RunNotFound(wanted);
    return runs[0];
  };
  return [
    defineRoute({
      method: 'get',
      path: '/public/{share_token}/run',
      operationId: 'readSharedRun',
      tags,
      summary: 'The run that is shared',
      params: Type.Object(Token),
      responses: { 200: JsonObject, 404: Detail },
      handle: ({ params }) => readOne(params.share_token),
    }),
    defineRoute({
      method: 'get',
      path: '/public/{share_token}/run/{run_id}',
      operationId: 'readRunOfShare',
      tags,
      summary: 'A run of the trace that is shared',
      params: Type.Object({ ...Token, run_id: Uuid }),
      responses: { 200: JsonObject, 404: Detail },
      handle: ({ params }) => readOne(params.share_token, params.run_id),
    }),
    defineRoute({
      method: 'post',
      path: '/public/{share_token}/runs/query',
      operationId: 'querySharedRuns',
      tags,
      summary: 'Runs of the trace that is shared',
      params: Type.Object(Token),
      body: Type.Object({
        id: Type.Optional(Ids),
        cursor: Type.Optional(Type.String()),
        limit: Type.Integer({ minimum: 1, maximum: PAGE, default: PAGE }),
      }),
      responses: {
        200: Type.Object({ runs: Type.Array(JsonObject), cursors: JsonObject }),
        404: Detail,
      },
      async handle({ params, body: { id, cursor, limit } }) {
        const { runs, next } = await read(params.share_token, {
          limit,
          ...(id && { ids: id }),
          ...(cursor && { after: readCursor(cursor) }),
        });
        return { runs, cursors: { next: next ? writeCursor(next) : null, prev: null } };
      },
    }),
    // The JavaScript SDK leaves the question mark out: its query is a part of the path.
    ...['/public/{share_token}/runs', '/public/{share_token}/runs{asked}'].map((path) =>
      defineRoute({
        method: 'get',
        path,
        operationId: 'listSharedRuns',
        tags,
        summary: 'All runs of the trace that is shared',
        hidden: path.endsWith('{asked}'),
        params: Type.Object({ ...Token, asked: Type.String({ default: '' }) }),
        responses: { 200: Type.Array(JsonObject), 404: Detail },
        async handle({ ctx, params: { share_token, asked } }) {
          const ids = new URLSearchParams(asked || ctx.querystring).getAll('id').filter(isUuid);
          const runs = [];
          let after: string | undefined;
          do {
            const page = await read(share_token, {
              limit: PAGE,
              ...(ids.length > 0 && { ids }),
              ...(after && { after }),
            });
            runs.push(...page.runs);
            after = page.next;
          } while (after && runs.length < MOST_RUNS);
          return runs;
        },
      }),
    ),
  ];
};
