import { Type } from 'typebox';
import { JsonText } from '../../platform/http/json-text.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { JsonObject } from '../../platform/schema.ts';
import { blobLinks, type LinkDeps } from '../bodies/blob-links.ts';
import { callerOf } from '../caller.ts';
import { readCursor, writeCursor } from './page-cursor.ts';
import { type PageDeps, readPage } from './read-page.ts';
import { readRunFilter, RunPage } from './run-query-body.ts';
import { readSelect, type Selection } from './select.ts';

const MAX_PER_PAGE = 100;
const Runs = Type.Object({
  runs: Type.Array(JsonObject),
  cursors: JsonObject,
  search_cursors: Type.Null(),
  parsed_query: Type.Null(),
});
const COUNTED = [
  'total_tokens',
  'prompt_tokens',
  'completion_tokens',
  'total_cost',
  'prompt_cost',
  'completion_cost',
];

/** Whether the selection includes sums over the trace. */
export const showsTotals = ({ has }: Pick<Selection, 'has'>): boolean => COUNTED.some((name) => has(name));

export const runQueryRoutes = (deps: PageDeps & LinkDeps): Route[] => [
  defineRoute({
    method: 'post',
    path: '/runs/query',
    operationId: 'queryRuns',
    tags: ['Runs'],
    summary: 'List runs that match a filter',
    body: RunPage,
    responses: { 200: Runs, 400: { description: 'Invalid filter or cursor' } },
    handle: async ({ ctx, body }) => {
      const query = readRunFilter(callerOf(ctx).tenant_id, body);
      const select = readSelect(body.select);
      // A trace is returned in one page, because clients open it as a whole.
      const limit = query.traces
        ? deps.config.SLIPWAY_TRACE_OPEN_RUNS
        : Math.min(Math.max(body.limit ?? MAX_PER_PAGE, 1), MAX_PER_PAGE);
      const text = new JsonText('{"runs":[');
      const next = await readPage(
        deps,
        query,
        {
          order: body.order ?? 'desc',
          after: body.cursor === undefined ? undefined : readCursor(body.cursor),
          limit,
        },
        {
          bodies: select.bodies,
          totals: showsTotals(select),
          feedback: select.has('feedback_stats'),
          shares: select.has('share_token'),
          tiers: select.has('trace_tier') || select.has('trace_upgrade'),
          ...(body.select && { shows: select.has }),
          link: select.has('s3_urls') ? blobLinks(deps, ctx) : undefined,
          childIds:
            body.select !== undefined && (select.has('child_run_ids') || select.has('direct_child_run_ids')),
        },
        (run) => text.addItem(select.json(run)),
      );
      const cursors = { next: next && !body.skip_pagination ? writeCursor(next) : null, prev: null };
      return text.add(`],"cursors":${JSON.stringify(cursors)},"search_cursors":null,"parsed_query":null}`);
    },
  }),
];
