import { prepareJson } from './request/loose-body.ts';
import { unmarkNumbers } from './json/lossless-numbers.ts';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { Middleware } from 'koa';
import { createApp } from '../platform/http/app.ts';
import { docsRoutes } from '../platform/http/docs-routes.ts';
import { openapi, openapiRoute } from '../platform/http/openapi.ts';
import type { Route } from '../platform/http/route.ts';
import { Detail } from '../platform/schema.ts';
import { annotationQueueRoutes } from './annotation/annotation-queue-routes.ts';
import { blobRoutes } from './bodies/blob-routes.ts';
import { authenticate } from './caller.ts';
import { canonicalPath, isTracingPath } from './request/canonical-path.ts';
import { datasetRoutes } from './datasets/dataset-routes.ts';
import { chartRoutes } from './charts/chart-routes.ts';
import { dashboardRoutes } from './charts/dashboard-routes.ts';
import { sectionRoutes } from './charts/section-routes.ts';
import { exportRoutes } from './exports/export-routes.ts';
import { feedbackRoutes } from './feedback/feedback-routes.ts';
import { healthRoute } from './health-route.ts';
import { hubRoutes } from './hub/hub-routes.ts';
import { infoRoute } from './info-route.ts';
import { ByteBudget } from './request/byte-budget.ts';
import { IngestQueue } from './ingest/ingest-queue.ts';
import { ingestRoutes } from './ingest/ingest-routes.ts';
import { RunWriter } from './ingest/run-writer.ts';
import { otelRoutes } from './otel/otel-routes.ts';
import { ProjectNames } from './projects/project-names.ts';
import { maskRoutes } from './workspace/mask-routes.ts';
import { projectRoutes } from './projects/project-routes.ts';
import type { RateLimit } from './rate-limits/rate-limit.ts';
import { messageRoutes } from './query/message-routes.ts';
import { runGroupRoutes } from './query/run-group-routes.ts';
import { runQueryRoutes } from './query/run-query-routes.ts';
import { runStatsRoutes } from './query/run-stats-routes.ts';
import { rateLimitRoute } from './rate-limits/rate-limit-routes.ts';
import { retentionRoute } from './workspace/retention-route.ts';
import { runRoutes } from './query/run-routes.ts';
import { publicRunRoutes } from './shares/public-run-routes.ts';
import { shareRoutes } from './shares/share-routes.ts';
import { threadShareRoutes } from './shares/thread-share-routes.ts';
import { traceRoutes } from './traces/trace-routes.ts';
import type { TracingDeps } from './tracing-deps.ts';
import { unservedRoutes } from './unserved-routes.ts';
import { v2PublicRoutes } from './v2/v2-public-routes.ts';
import { v2DatasetsRoutes } from './datasets/v2-datasets-routes.ts';
import { v2RunsRoutes } from './v2/v2-runs-routes.ts';
import { v2SessionsRoutes } from './v2/v2-sessions-routes.ts';
import { v2ThreadsRoutes } from './v2/v2-threads-routes.ts';
import { v2ThreadsStatsRoutes } from './v2/v2-threads-stats-routes.ts';
import { priceRoutes } from './usage/price-routes.ts';
import { Prices } from './usage/prices.ts';
import { v2TracesRoutes } from './v2/v2-traces-routes.ts';

export function tracingRoutes(deps: TracingDeps): Route[] {
  const { config, db, log, masks } = deps;
  const prices = new Prices(db);
  const writer = new RunWriter(db, new ProjectNames(db), { prices, log });
  const queue = new IngestQueue(writer, masks);
  const budget = new ByteBudget(config.SLIPWAY_TRACE_QUEUE_BYTES);
  return [
    healthRoute,
    infoRoute(config),
    ...ingestRoutes(deps, queue, budget),
    ...otelRoutes(deps, queue, budget),
    ...runQueryRoutes(deps),
    ...runStatsRoutes(deps),
    ...runGroupRoutes(deps),
    ...traceRoutes(deps),
    ...runRoutes(deps),
    ...messageRoutes(deps),
    ...v2RunsRoutes(deps),
    ...v2TracesRoutes(deps),
    ...v2ThreadsRoutes(deps),
    ...v2ThreadsStatsRoutes(deps),
    ...v2PublicRoutes(deps),
    ...v2SessionsRoutes(deps),
    ...v2DatasetsRoutes(deps),
    ...projectRoutes(deps),
    ...feedbackRoutes(deps),
    ...datasetRoutes(deps),
    ...annotationQueueRoutes(deps),
    ...blobRoutes(deps),
    ...shareRoutes(deps),
    ...threadShareRoutes(deps),
    ...publicRunRoutes(deps),
    ...sectionRoutes(deps),
    ...chartRoutes(deps),
    ...dashboardRoutes(deps),
    ...hubRoutes(deps),
    ...priceRoutes(deps, prices),
    ...maskRoutes(deps),
    ...exportRoutes(deps),
    retentionRoute(config),
    ...unservedRoutes(),
  ];
}

const INFO = {
  title: 'Slipway tracing',
  version: '1',
  description:
    'Runs, feedback, datasets, experiments, annotation queues and prompts, compatible with existing clients.',
};
const SECURITY = {
  securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'x-api-key' } },
  security: [{ key: [] }],
};

const REFUSALS = {
  400: { description: 'Invalid JSON, filter or cursor' },
  401: Detail,
  403: Detail,
  422: Detail,
  429: Detail,
};
/** Adds the error responses common to all routes. */
const withRefusals = (route: Route): Route => ({ ...route, responses: { ...REFUSALS, ...route.responses } });

/** Handler for tracing requests; undefined for other requests. */
export type Service = (request: IncomingMessage) => RequestListener | undefined;

/** HTTP handler of tracing, for a port shared with other services. */
export function tracingService(
  deps: TracingDeps,
  { bodyLimit, limits }: { bodyLimit: number; limits: RateLimit },
): Service {
  const routes = [...tracingRoutes(deps), rateLimitRoute(limits)];
  const described = [
    ...routes,
    openapiRoute(() => openapi(routes.map(withRefusals), INFO, SECURITY)),
    ...docsRoutes(INFO.title),
  ];
  const app = createApp(described, {
    log: deps.log,
    bodyLimit,
    json: { prepare: prepareJson, finish: unmarkNumbers },
    middleware: () => [canonical, limits.arrive, authenticate(deps), limits.known],
  });
  const answer = app.callback();
  return ({ url = '/' }) => (isTracingPath(url.split('?', 1)[0]!) ? answer : undefined);
}

const canonical: Middleware = (ctx, next) => {
  ctx.path = canonicalPath(ctx.path);
  return next();
};
