import { Type } from 'typebox';
import { JsonText } from '../../platform/http/json-text.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, JsonObject, Uuid } from '../../platform/schema.ts';
import { RunNotFound } from '../errors.ts';
import { type PageDeps, showRuns, viewFew } from '../query/read-page.ts';
import { runJson } from '../query/run-view.ts';
import { existingShare } from '../traces/share-repository.ts';
import { listSharedRuns, readCursor, writeCursor } from '../shares/shared-runs.ts';
import { needJson } from './v2-request.ts';
import { v2Run } from './v2-run.ts';
import { Items, tags } from './v2-runs-routes.ts';
import { neededFor, SelectName } from './v2-select.ts';

const Selects = Type.Array(SelectName, { default: [] });

/** Shared traces in version 2 of the API (contract §1.14). */
export const v2PublicRoutes = (deps: PageDeps): Route[] => [
  defineRoute({
    method: 'get',
    path: '/api/v2/public/{share_token}/run/{run_id}',
    operationId: 'readRunOfShareV2',
    tags,
    summary: 'Read a run of the shared trace',
    params: Type.Object({ share_token: Uuid, run_id: Uuid }),
    query: Type.Object({ selects: Selects }),
    responses: { 200: JsonObject, 404: Detail, 406: Detail },
    handle: async ({ ctx, params: { share_token, run_id }, query: { selects } }) => {
      needJson(ctx);
      const share = await existingShare(deps.db, share_token);
      const { rows } = await listSharedRuns(deps, share, { query: { ids: [run_id] }, limit: 1 });
      const [run] = await viewFew(deps, share.tenant_id, rows, neededFor(selects));
      if (run === undefined) throw new RunNotFound(run_id);
      return new JsonText(runJson(v2Run(run, selects)));
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/v2/public/{share_token}/runs/query',
    operationId: 'querySharedRunsV2',
    tags,
    summary: 'List runs of the shared trace in tree order; paginated by next_cursor',
    params: Type.Object({ share_token: Uuid }),
    body: Type.Object({ selects: Selects, cursor: Type.Optional(Type.String()) }),
    responses: { 200: Items, 404: Detail, 406: Detail },
    handle: async ({ ctx, params: { share_token }, body: { selects, cursor } }) => {
      needJson(ctx);
      const share = await existingShare(deps.db, share_token);
      const { rows, next } = await listSharedRuns(deps, share, {
        limit: deps.config.SLIPWAY_TRACE_OPEN_RUNS,
        after: cursor === undefined ? undefined : readCursor(cursor),
      });
      const text = new JsonText('{"items":[');
      const shown = await showRuns(deps, share.tenant_id, rows, neededFor(selects), (run) =>
        text.addItem(runJson(v2Run(run, selects))),
      );
      const after = shown < rows.length ? rows[shown - 1]!.dotted_order : next;
      return text.add(
        `],"next_cursor":${after === undefined ? 'null' : JSON.stringify(writeCursor(after))}}`,
      );
    },
  }),
];
