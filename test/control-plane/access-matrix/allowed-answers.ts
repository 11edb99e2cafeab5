import type { Route } from '../../../src/platform/http/route.ts';

const OTHERWISE: Record<string, string> = {
  // Logging requests arrive in any order; repeatable requests may already have been carried out.
  200: `
    PUT /runs/{run_id}/share · POST /api/v2/runs/{run_id}/share · GET /runs/{run_id}/share
    DELETE /datasets/{dataset_id}/share · GET /api/v2/threads/{thread_id}/share`,
  202: 'PATCH /runs/{run_id} · DELETE /runs/{trace_id}',
  204: 'DELETE /runs/{run_id}/share · DELETE /api/v2/runs/{run_id}/share · DELETE /api/v2/threads/{thread_id}/share',
  // Redirects to pages; OpenID Connect is not configured here.
  302: 'GET /v2/sign-in/oidc/callback · GET /public/{share_token}/r',
  401: 'POST /v2/git-events/{integration_id}',
  // Only the platform's own pages get cookies.
  403: 'GET /v2/artifacts/{token} · PUT /v2/uploads/{token} · POST /v2/sign-in · POST /v2/sign-in/link',
  // Named by the query or the body.
  404: `
    GET /v2/sign-in/oidc · GET /public/download · DELETE /v2/deployments · PATCH /feedback-configs · DELETE /feedback-configs
    POST /datasets/comparative · POST /datasets/clone · POST /examples · POST /examples/bulk · PATCH /examples/bulk
    DELETE /examples · POST /platform/datasets/examples/delete · POST /charts/section/clone · POST /charts/create
    GET /generate · POST /generate · GET /sessions/resolutions · POST /platform/examples/multipart · POST /annotation-queues/populate`,
};

// Lists of missing objects.
const FILLED = `
  GET /api/v2/traces/{trace_id}/runs · GET /api/v2/threads/{thread_id}/traces · GET /api/v2/threads/{thread_id}/stats
  GET /datasets/{dataset_id}/comparative · GET /datasets/{dataset_id}/versions · GET /datasets/{dataset_id}/splits
  GET /datasets/{dataset_id}/versions/diff · GET /annotation-queues/{run_id}/queues`;

const routesOf = (list: string) => list.split(/·|\n/).map((route) => route.trim());
const answers = new Map(
  Object.entries({ ...OTHERWISE, 200: `${OTHERWISE['200']} · ${FILLED}` }).flatMap(([status, list]) =>
    routesOf(list).map((route) => [route, Number(status)] as const),
  ),
);

/** Responses to an authorized caller about objects that don't exist; usually created, listed or missing. */
export function allowedAnswers({ name, route }: { name: string; route: Route }): number[] {
  const answer = answers.get(name);
  const namesThings = /\{(?!file\})/.test(name);
  const good = Object.keys(route.responses)
    .map(Number)
    .filter((status) => status < 300);
  return answer ? [answer] : namesThings ? [404] : good;
}
