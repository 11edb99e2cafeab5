import type { Things } from './things.ts';

interface Request {
  query?: Record<string, string | undefined>;
  body?: unknown;
}

const series = [{ name: 'runs', metric: 'run_count' }];
const price = (things: Things) => ({
  name: things['word'],
  match_pattern: things['word'],
  prompt_cost: 1,
  completion_cost: 1,
});
const since = { start_time: '2026-01-01T00:00:00Z', stride: { days: 30, hours: 0, minutes: 0 } };
const integration = (things: Things) => ({ name: things['word'], kind: 'github' });
const deployment = (things: Things) => ({
  name: things['word'],
  source: 'git_host',
  source_config: { repo_url: 'https://git.example.com/agents/agent.git' },
  source_revision_config: { repo_ref: 'main', graph_config_path: 'graph.json' },
  secrets: [{ name: 'MODEL_KEY', value: 'a secret' }],
});
const revision = { source_revision_config: { repo_ref: 'next' } };
const run = (things: Things) => ({
  id: things['run_id'],
  trace_id: things['run_id'],
  dotted_order: `20260102T030405000000Z${things['run_id']}`,
  session_name: things['word'],
  name: 'run',
  run_type: 'chain',
  start_time: '2026-01-02T03:04:05Z',
  end_time: '2026-01-02T03:04:06Z',
  inputs: { said: things['word'] },
  outputs: { said: things['word'] },
  extra: { metadata: { thread_id: things['thread_id'] } },
});
const manifest = { lc: 1, type: 'constructor', id: ['prompts'], kwargs: {} };
/** A form with one part. */
const form = (name: string, content: unknown): FormData => {
  const made = new FormData();
  made.append(name, new Blob([JSON.stringify(content)], { type: 'application/json' }));
  return made;
};

/** Bodies and queries by route; routes not listed need none. */
const REQUESTS: Record<string, (things: Things) => Request> = {
  'POST /v2/deployments': (t) => ({ body: deployment(t) }),
  'DELETE /v2/deployments': (t) => ({ query: { deployment_ids: t['deployment_id'] } }),
  'PATCH /v2/deployments/{deployment_id}': () => ({ body: revision }),
  'POST /v2/deployments/{deployment_id}/revisions': () => ({ body: revision }),
  'PUT /v2/deployments/{deployment_id}/traffic': (t) => ({
    body: { canaries: [{ revision_id: t['revision_id'], percent: 5 }] },
  }),
  'POST /v2/deployments/{deployment_id}/revisions/{revision_id}/canary': () => ({
    body: { action: 'promote' },
  }),
  'POST /v1/projects': (t) => ({ body: deployment(t) }),
  'POST /v1/projects/{project_id}/revisions': () => ({ body: revision }),
  'POST /v2/listeners': (t) => ({ body: { compute_type: 'k8s', compute_id: t['word'] } }),
  'PATCH /v2/listeners/{listener_id}': () => ({ body: { version: '2' } }),
  'POST /v2/integrations': (t) => ({ body: integration(t) }),
  'PATCH /v2/integrations/{integration_id}': () => ({ body: { token: 'another' } }),
  'POST /v2/sign-in': () => ({ body: { api_key: 'malformed' } }),
  'POST /v2/sign-in/link': () => ({ body: { token: 'A'.repeat(43) } }),
  'POST /v2/api-keys': (t) => ({ body: { name: t['word'], role: 'viewer' } }),

  'POST /runs': (t) => ({ body: run(t) }),
  'PATCH /runs/{run_id}': (t) => ({
    body: { trace_id: t['run_id'], dotted_order: run(t).dotted_order, outputs: { said: 'something else' } },
  }),
  'POST /runs/batch': (t) => ({ body: { post: [run(t)] } }),
  'POST /runs/multipart': (t) => ({ body: form(`post.${t['run_id']}`, run(t)) }),
  'POST /otel/v1/traces': () => ({ body: { resourceSpans: [] } }),
  'POST /otel/v1/logs': () => ({ body: { resourceLogs: [] } }),
  'POST /otel/v1/metrics': () => ({ body: { resourceMetrics: [] } }),
  'POST /runs/query': (t) => ({ body: { session: [t['session_id']], id: [t['run_id']] } }),
  'POST /runs/stats': (t) => ({ body: { session: [t['session_id']] } }),
  'POST /runs/group': (t) => ({ body: { session_id: t['session_id'], group_by: 'conversation' } }),
  'POST /runs/delete': (t) => ({ body: { trace_ids: [t['run_id']] } }),
  'POST /api/v2/runs/query': (t) => ({ body: { project_ids: [t['session_id']], ids: [t['run_id']] } }),
  'POST /api/v2/traces/query': (t) => ({ body: { project_id: t['session_id'] } }),
  'GET /api/v2/traces/{trace_id}/runs': (t) => ({ query: { project_id: t['session_id'] } }),
  'POST /api/v2/threads/query': (t) => ({ body: { project_id: t['session_id'] } }),
  'POST /api/v2/threads/stats': (t) => ({ body: { project_id: t['session_id'], select: ['THREAD_COUNT'] } }),
  'GET /api/v2/threads/{thread_id}/traces': (t) => ({ query: { project_id: t['session_id'] } }),
  'GET /api/v2/threads/{thread_id}/stats': (t) => ({ query: { session_id: t['session_id'] } }),
  'POST /api/v2/threads/{thread_id}/share': (t) => ({ body: { project_id: t['session_id'] } }),
  'GET /api/v2/threads/{thread_id}/share': (t) => ({ query: { project_id: t['session_id'] } }),
  'DELETE /api/v2/threads/{thread_id}/share': (t) => ({ query: { project_id: t['session_id'] } }),
  'POST /api/v2/runs/{run_id}/share': (t) => ({ body: { session_id: t['session_id'] } }),
  'PUT /runs/{run_id}/share': () => ({ body: {} }),
  'GET /public/download': (t) => ({ query: { token: t['token'] } }),
  'POST /public/{share_token}/runs/query': () => ({ body: {} }),

  'POST /sessions': (t) => ({ body: { name: t['word'] } }),
  'GET /sessions/resolutions': (t) => ({ query: { kind: 'EXPERIMENT', id: t['experiment_id'] } }),
  'POST /api/v2/sessions': (t) => ({ body: { name: t['word'] } }),
  'PATCH /api/v2/sessions/{session_id}': () => ({ body: { description: 'changed' } }),
  'PATCH /sessions/{session_id}': () => ({ body: { description: 'changed' } }),
  'DELETE /sessions': (t) => ({ query: { session_ids: t['session_id'] } }),
  'POST /sessions/{session_id}/dashboard': () => ({ body: since }),
  'POST /feedback': (t) => ({ body: { run_id: t['run_id'], key: t['feedback_key'], score: 1 } }),
  'PATCH /feedback/{feedback_id}': () => ({ body: { score: 0 } }),
  'GET /feedback': (t) => ({ query: { run: t['run_id'] } }),
  'POST /feedback/tokens': (t) => ({ body: { run_id: t['run_id'], feedback_key: t['feedback_key'] } }),
  'GET /feedback/tokens': (t) => ({ query: { run_id: t['run_id'] } }),
  'POST /feedback/tokens/{token}': () => ({ body: { score: 1 } }),
  'POST /feedback-configs': (t) => ({
    body: { feedback_key: t['feedback_key'], feedback_config: { type: 'continuous' } },
  }),
  'PATCH /feedback-configs': (t) => ({
    body: { feedback_key: t['feedback_key'], feedback_config: { type: 'freeform' } },
  }),
  'DELETE /feedback-configs': (t) => ({ query: { feedback_key: t['feedback_key'] } }),

  'POST /datasets': (t) => ({ body: { name: t['word'] } }),
  'PATCH /datasets/{dataset_id}': () => ({ body: { description: 'changed' } }),
  'POST /datasets/upload': (t) => {
    const body = new FormData();
    body.append('name', `${t['word']} uploaded`);
    body.append('input_keys', 'asked');
    body.append('file', new Blob(['asked\nwhat\n'], { type: 'text/csv' }), 'one.csv');
    return { body };
  },
  'POST /datasets/clone': (t) => ({
    body: { source_dataset_id: t['dataset_id'], target_dataset_id: t['dataset_id'] },
  }),
  'POST /datasets/comparative': (t) => ({
    body: { reference_dataset_id: t['dataset_id'], experiment_ids: [t['experiment_id']] },
  }),
  'POST /datasets/{dataset_id}/index': () => ({ body: {} }),
  'POST /datasets/{dataset_id}/search': () => ({ body: { inputs: { said: 'anything' } } }),
  'GET /datasets/{dataset_id}/version': () => ({ query: { as_of: 'latest' } }),
  'GET /datasets/{dataset_id}/versions/diff': () => ({
    query: { from_version: '2026-01-01T00:00:00Z', to_version: '2026-01-02T00:00:00Z' },
  }),
  'PUT /datasets/{dataset_id}/tags': (t) => ({ body: { tag: t['tag_name'] } }),
  'PUT /datasets/{dataset_id}/splits': (t) => ({ body: { split_name: 'test', examples: [t['example_id']] } }),
  'POST /datasets/{dataset_id}/runs': (t) => ({ body: { session_ids: [t['experiment_id']] } }),
  'GET /examples': (t) => ({ query: { dataset: t['dataset_id'] } }),
  'GET /examples/count': (t) => ({ query: { dataset: t['dataset_id'] } }),
  'POST /platform/datasets/{dataset_id}/examples': (t) => ({
    body: form(t['queue_run_id']!, { inputs: {} }),
  }),
  'PATCH /platform/datasets/{dataset_id}/examples': (t) => ({ body: form(t['example_id']!, { inputs: {} }) }),
  'POST /platform/datasets/examples/delete': (t) => ({
    body: { example_ids: [t['example_id']], hard_delete: true },
  }),
  'POST /examples': (t) => ({ body: { dataset_id: t['dataset_id'], inputs: { said: t['word'] } } }),
  'POST /examples/bulk': (t) => ({ body: [{ dataset_id: t['dataset_id'], inputs: {} }] }),
  'PATCH /examples/bulk': (t) => ({ body: [{ id: t['example_id'], inputs: {} }] }),
  'PATCH /examples/{example_id}': () => ({ body: { inputs: {} } }),
  'DELETE /examples': (t) => ({ query: { example_ids: t['example_id'] } }),

  'POST /platform/examples/multipart': (t) => ({
    body: form(t['queue_run_id']!, { dataset_id: t['dataset_id'], inputs: {} }),
  }),
  'PATCH /platform/datasets/{dataset_id}/examples/metadata': (t) => ({
    body: {
      example_ids: [t['example_id']],
      operations: [{ operation: 'SET', key: 'seen', value: t['word'] }],
    },
  }),
  'POST /api/v2/datasets/{dataset_id}/experiment-runs': (t) => ({
    body: { experiment_ids: [t['experiment_id']] },
  }),
  'POST /api/v2/public/{share_token}/runs/query': () => ({ body: {} }),
  'GET /platform/annotation-queues/{queue_id}/items': () => ({ query: { status: 'needs_my_review' } }),
  'POST /platform/annotation-queues/{queue_id}/items': (t) => ({
    body: { items: [{ run_id: t['run_id'] }] },
  }),
  'POST /platform/annotation-queues/{queue_id}/items/delete': (t) => ({ body: { item_ids: [t['item_id']] } }),
  'PATCH /platform/annotation-queues/{queue_id}/items/{item_id}': () => ({
    body: { added_at: '2026-01-02T03:04:05Z' },
  }),
  'POST /platform/annotation-queues/items/{queue_item_id}/status': () => ({ body: { status: 'completed' } }),
  'POST /annotation-queues/populate': (t) => ({
    body: { queue_id: t['queue_id'], session_ids: [t['experiment_id']] },
  }),
  'POST /annotation-queues': (t) => ({ body: { name: t['word'] } }),
  'PATCH /annotation-queues/{queue_id}': () => ({ body: { description: 'changed' } }),
  'POST /annotation-queues/status/{queue_run_id}': () => ({ body: { status: 'completed' } }),
  'POST /annotation-queues/{queue_id}/runs': (t) => ({ body: [t['run_id']] }),
  'POST /annotation-queues/{queue_id}/runs/by-key': (t) => ({ body: [{ run_id: t['run_id'] }] }),
  'PATCH /annotation-queues/{queue_id}/runs/{queue_run_id}': () => ({
    body: { last_reviewed_time: '2026-01-01T00:00:00Z' },
  }),
  'POST /annotation-queues/{queue_id}/runs/delete': () => ({ body: { delete_all: true } }),
  'POST /charts': () => ({ body: since }),
  'POST /charts/preview': () => ({ body: { bucket_info: since, chart: { series } } }),
  'POST /charts/section': (t) => ({ body: { title: t['word'] } }),
  'POST /charts/section/clone': (t) => ({ body: { section_id: t['section_id'] } }),
  'POST /charts/section/{id}': () => ({ body: since }),
  'PATCH /charts/section/{id}': () => ({ body: { title: 'changed' } }),
  'POST /charts/create': (t) => ({
    body: { title: t['word'], chart_type: 'line', index: 0, section_id: t['section_id'], series },
  }),
  'POST /charts/{id}': () => ({ body: since }),
  'PATCH /charts/{id}': () => ({ body: { title: 'changed' } }),

  'POST /settings/handle': (t) => ({ body: { tenant_handle: t['owner'] } }),
  'POST /repos': (t) => ({ body: { repo_handle: t['repo'], repo_type: 'prompt', is_public: false } }),
  'PATCH /repos/{owner}/{repo}': () => ({ body: { description: 'changed' } }),
  'POST /likes/{owner}/{repo}': () => ({ body: { like: true } }),
  'POST /repos/{owner}/{repo}/tags': (t) => ({
    body: { tag_name: t['tag_name'], commit_id: t['commit_id'] },
  }),
  'PATCH /repos/{owner}/{repo}/tags/{tag_name}': (t) => ({ body: { commit_id: t['commit_id'] } }),
  'POST /commits/{owner}/{repo}': () => ({ body: { manifest } }),
  'POST /platform/hub/repos/{owner}/{repo}/directories/commits': () => ({ body: { files: {} } }),
  'POST /model-price-map': (t) => ({ body: price(t) }),
  'PUT /model-price-map/{price_id}': (t) => ({ body: price(t) }),
  'POST /model-price-map/recompute': () => ({ body: {} }),
  'PUT /platform/masks': () => ({ body: { rules: [] } }),
  'POST /bulk-exports': (t) => ({ body: { session_id: t['session_id'] } }),
};

/** A route's query, with the question mark, and its body. */
export function requestOf(route: string, things: Things): { query: string; body: unknown } {
  const { query = {}, body } = REQUESTS[route]?.(things) ?? {};
  const asked = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return { query: asked.length > 0 ? `?${new URLSearchParams(asked).toString()}` : '', body };
}
