import { Type } from 'typebox';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { publicAddress } from '../../platform/http/public-address.ts';
import { JsonText } from '../../platform/http/json-text.ts';
import { isUuid } from '../../platform/ids.ts';
import { Detail, JsonObject, Uuid } from '../../platform/schema.ts';
import { RunNotFound } from '../errors.ts';
import { listFeedback } from '../feedback/feedback-repository.ts';
import { BODY_COLUMNS } from '../runs/run-columns.ts';
import { givenTexts, PAGE as LIST } from '../request/query-lists.ts';
import { showRuns } from '../query/read-page.ts';
import { readRunFilter, RunPage } from '../query/run-query-body.ts';
import { showsTotals } from '../query/run-query-routes.ts';
import { readSelect } from '../query/select.ts';
import { runJson, viewRuns } from '../query/run-view.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import { existingShare } from '../traces/share-repository.ts';
import { listSharedRuns, readCursor, writeCursor } from './shared-runs.ts';

const PAGE = 100;
// Clients of this list do not page, so it ends here or at the page's byte limit.
const MAX_RUNS = 1_000;
const WHOLE = { bodies: [...BODY_COLUMNS], totals: false, feedback: true, shares: true, childIds: false };
const tags = ['Shares'];
const Token = { share_token: Uuid };

/** Read access to the runs of a shared trace (contract §1.13). */
export const publicRunRoutes = (deps: TracingDeps): Route[] => {
  const { db } = deps;
  const read = async (token: string, asked: Parameters<typeof listSharedRuns>[2]) => {
    const share = await existingShare(db, token);
    const { rows, next } = await listSharedRuns(deps, share, asked);
    return { next, rows, tenantId: share.tenant_id };
  };
  const readOne = async (token: string, id?: string) => {
    const share = await existingShare(db, token);
    const wanted = id ?? share.run_id;
    const { rows } = await read(token, { query: { ids: [wanted] }, limit: 1 });
    if (!rows[0]) throw new RunNotFound(wanted);
    const [run] = await viewRuns(db, share.tenant_id, rows, { raw: true });
    return new JsonText(runJson(run!));
  };
  return [
    defineRoute({
      method: 'get',
      path: '/public/{share_token}/r',
      operationId: 'showSharedTrace',
      tags,
      summary: 'Redirect the URL that clients print to the console page of the trace',
      params: Type.Object(Token),
      responses: { 302: { description: 'Redirect to the page' } },
      handle({ ctx, params: { share_token } }) {
        ctx.redirect(`${publicAddress(ctx).prefix}/traces/shared/${share_token}`);
        ctx.body = '';
      },
    }),
    defineRoute({
      method: 'get',
      path: '/public/{share_token}/run',
      operationId: 'readSharedRun',
      tags,
      summary: 'Read the shared run',
      params: Type.Object(Token),
      responses: { 200: JsonObject, 404: Detail },
      handle: ({ params }) => readOne(params.share_token),
    }),
    defineRoute({
      method: 'get',
      path: '/public/{share_token}/run/{run_id}',
      operationId: 'readRunOfShare',
      tags,
      summary: 'Read a run of the shared trace',
      params: Type.Object({ ...Token, run_id: Uuid }),
      responses: { 200: JsonObject, 404: Detail },
      handle: ({ params }) => readOne(params.share_token, params.run_id),
    }),
    defineRoute({
      method: 'post',
      path: '/public/{share_token}/runs/query',
      operationId: 'querySharedRuns',
      tags,
      summary: 'List runs of the shared trace that match a filter, in tree order',
      params: Type.Object(Token),
      body: RunPage,
      responses: {
        200: Type.Object({ runs: Type.Array(JsonObject), cursors: JsonObject }),
        404: Detail,
      },
      async handle({ params, body: { cursor, limit = PAGE, select: selected, ...body } }) {
        const { tenant_id: _whose, ...query } = readRunFilter('', body);
        const select = readSelect(selected);
        const { rows, tenantId, next } = await read(params.share_token, {
          query,
          limit: Math.min(Math.max(limit, 1), select.bodies.length > 0 ? PAGE : MAX_RUNS),
          after: cursor === undefined ? undefined : readCursor(cursor),
        });
        const asked = {
          bodies: select.bodies,
          totals: showsTotals(select),
          feedback: select.has('feedback_stats'),
          shares: false,
          childIds: false,
        };
        const text = new JsonText('{"runs":[');
        const shown = await showRuns(deps, tenantId, rows, asked, (view) => text.addItem(select.json(view)));
        const after = shown < rows.length ? rows[shown - 1]!.dotted_order : next;
        const cursors = { next: after === undefined ? null : writeCursor(after), prev: null };
        return text.add(`],"cursors":${JSON.stringify(cursors)}}`);
      },
    }),
    defineRoute({
      method: 'get',
      path: '/public/{share_token}/feedback',
      operationId: 'listSharedFeedback',
      tags,
      summary: 'List feedback on the shared trace',
      params: Type.Object(Token),
      query: Type.Object({
        ...LIST,
        run: Type.Optional(Type.Array(Uuid, { maxItems: 1_000 })),
        key: Type.Optional(Type.Array(Type.String())),
      }),
      responses: { 200: Type.Array(JsonObject), 404: Detail },
      async handle({ ctx, params: { share_token }, query }) {
        const { tenant_id, traces } = await existingShare(db, share_token);
        const asked = { ...query, key: givenTexts(ctx, 'key'), traces };
        return listFeedback(db, tenant_id, asked);
      },
    }),
    // The JavaScript SDK omits the question mark, so its query becomes part of the path.
    ...['/public/{share_token}/runs', '/public/{share_token}/runs{asked}'].map((path) =>
      defineRoute({
        method: 'get',
        path,
        operationId: 'listSharedRuns',
        tags,
        summary: 'List all runs of the shared trace',
        hidden: path.endsWith('{asked}'),
        params: Type.Object({ ...Token, asked: Type.String({ default: '' }) }),
        responses: { 200: Type.Array(JsonObject), 404: Detail },
        async handle({ ctx, params: { share_token, asked } }) {
          const ids = new URLSearchParams(asked || ctx.querystring).getAll('id').filter(isUuid);
          const query = ids.length > 0 ? { ids } : {};
          const { rows, tenantId } = await read(share_token, { query, limit: MAX_RUNS });
          const text = new JsonText('[');
          await showRuns(deps, tenantId, rows, WHOLE, (view) => text.addItem(runJson(view)));
          return text.add(']');
        },
      }),
    ),
  ];
};
