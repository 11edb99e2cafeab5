/** What a route requires of its caller: nothing, an address that grants access itself, or a role. */
export const ACCESS = {
  anyone: `
    GET /v2/sign-in · POST /v2/sign-in · POST /v2/sign-in/link · GET /v2/sign-in/oidc · GET /v2/sign-in/oidc/callback
    GET /ok · GET /docs · GET /docs/{file} · GET /openapi.json · GET /info
    POST /v1/beacon · POST /beacon · POST /v1/metadata/submit · POST /metadata/submit`,

  address: `
    PUT /v2/uploads/{token} · GET /v2/artifacts/{token} · POST /v2/git-events/{integration_id}
    GET /feedback/tokens/{token} · POST /feedback/tokens/{token}
    GET /public/{token}/datasets · GET /public/{token}/examples · GET /public/{token}/examples/count
    GET /public/{share_token}/r · GET /public/{share_token}/run · GET /public/{share_token}/run/{run_id} · GET /public/{share_token}/runs
    GET /public/{share_token}/runs{asked} · POST /public/{share_token}/runs/query
    GET /public/{token}/datasets/sessions · GET /public/{token}/datasets/feedback
    GET /public/{share_token}/feedback · GET /api/v2/public/{share_token}/run/{run_id}
    POST /api/v2/public/{share_token}/runs/query
    GET /public/download · GET /public/exports/{token}`,

  // The only routes for tracers; other roles need write permission.
  tracer: `
    POST /runs/multipart · POST /runs/batch · POST /runs · PATCH /runs/{run_id} · POST /otel/v1/traces
    POST /feedback/tokens · POST /otel/v1/logs · POST /otel/v1/metrics`,

  viewer: `
    GET /v2/session · DELETE /v2/session · GET /v2/sessions · DELETE /v2/sessions/{session_id}
    GET /v2/deployments · GET /v2/deployments/{deployment_id} · GET /v2/deployments/{deployment_id}/traffic
    GET /v2/deployments/{deployment_id}/revisions · GET /v2/deployments/{deployment_id}/revisions/{revision_id}
    GET /v2/deployments/{deployment_id}/revisions/{revision_id}/timeline
    GET /v2/deployments/{deployment_id}/revisions/{revision_id}/logs/stream
    GET /v2/deployments/{deployment_id}/revisions/{revision_id}/canary
    GET /v1/projects · GET /v1/projects/{project_id} · GET /v1/projects/{project_id}/revisions
    GET /v1/projects/{project_id}/revisions/{revision_id} · POST /v1/projects/{project_id}/deploy_logs
    POST /v1/projects/{project_id}/revisions/{revision_id}/build_logs
    POST /v1/projects/{project_id}/revisions/{revision_id}/deploy_logs
    GET /v2/deployment-health · GET /v2/limits · GET /v2/listeners · GET /v2/listeners/{listener_id}
    GET /v2/integrations · GET /v2/integrations/{integration_id}
    GET /v1/integrations/github/install · GET /v1/integrations/github/{integration_id}/repos
    GET /v1/integrations/forge/github/install · GET /v1/integrations/forge/github/{integration_id}/repos

    POST /runs/query · POST /runs/stats · POST /runs/group · GET /runs/{run_id} · GET /runs/{run_id}/messages
    GET /runs/{run_id}/share · GET /api/v2/threads/{thread_id}/share · POST /api/v2/runs/query · GET /api/v2/runs/{run_id} · GET /api/v2/runs/{run_id}/url
    POST /api/v2/traces/query · GET /api/v2/traces/{trace_id}/runs
    POST /api/v2/threads/stats · POST /api/v2/threads/query · GET /api/v2/threads/{thread_id}/traces · GET /api/v2/threads/{thread_id}/stats
    GET /sessions · GET /sessions/{session_id} · POST /sessions/{session_id}/dashboard · GET /sessions/resolutions
    GET /api/v2/sessions · GET /api/v2/sessions/{session_id} · GET /api/v2/datasets
    GET /feedback · GET /feedback/{feedback_id} · GET /feedback/tokens · GET /feedback-configs
    GET /datasets · GET /datasets/{dataset_id} · GET /datasets/{dataset_id}/comparative
    GET /datasets/{dataset_id}/version · GET /datasets/{dataset_id}/versions · GET /datasets/{dataset_id}/versions/diff
    GET /datasets/{dataset_id}/splits · GET /datasets/{dataset_id}/share · POST /datasets/{dataset_id}/runs
    GET /datasets/{dataset_id}/csv · GET /datasets/{dataset_id}/jsonl · GET /datasets/{dataset_id}/openai_ft
    GET /datasets/{dataset_id}/index · POST /datasets/{dataset_id}/search
    GET /examples · GET /examples/count · GET /examples/{example_id}
    GET /annotation-queues · GET /annotation-queues/{queue_id} · GET /annotation-queues/{run_id}/queues
    GET /annotation-queues/{queue_id}/runs · GET /annotation-queues/{queue_id}/run/{index}
    GET /annotation-queues/{queue_id}/size · GET /annotation-queues/{queue_id}/total_size
    GET /annotation-queues/{queue_id}/total_archived · GET /platform/annotation-queues/{queue_id}/items
    GET /platform/annotation-queues/{queue_id}/items/count
    GET /platform/annotation-queues/{queue_id}/items/{item_id}/placement
    POST /api/v2/datasets/{dataset_id}/experiment-runs
    GET /charts/section · POST /charts/section/{id} · POST /charts · POST /charts/{id}
    POST /charts/preview
    GET /settings · GET /auth · GET /workspaces · GET /tenants
    GET /repos · GET /repos/{owner}/{repo} · GET /repos/{owner}/{repo}/tags · GET /repos/{owner}/{repo}/tags/{tag_name}
    GET /commits/{owner}/{repo} · GET /commits/{owner}/{repo}/{ref}
    GET /platform/hub/repos/{owner}/{repo}/directories
    GET /model-price-map · GET /platform/masks · GET /platform/retention · GET /bulk-exports · GET /bulk-exports/{bulk_export_id}
    GET /generate`,

  deployer: `
    POST /v2/deployments · DELETE /v2/deployments
    PATCH /v2/deployments/{deployment_id} · DELETE /v2/deployments/{deployment_id}
    PUT /v2/deployments/{deployment_id}/traffic · POST /v2/deployments/{deployment_id}/upload-url
    POST /v2/deployments/{deployment_id}/push-token · POST /v2/deployments/{deployment_id}/revisions
    POST /v2/deployments/{deployment_id}/revisions/{revision_id}/redeploy
    POST /v2/deployments/{deployment_id}/revisions/{revision_id}/interrupt
    POST /v2/deployments/{deployment_id}/revisions/{revision_id}/approve
    POST /v2/deployments/{deployment_id}/revisions/{revision_id}/canary
    POST /v1/projects · DELETE /v1/projects/{project_id} · POST /v1/projects/{project_id}/revisions
    POST /v1/projects/{project_id}/revisions/{revision_id}/interrupt
    POST /v1/projects/{project_id}/revisions/{revision_id}/deploy
    POST /v2/listeners · PATCH /v2/listeners/{listener_id} · DELETE /v2/listeners/{listener_id}

    DELETE /runs/{trace_id} · POST /runs/delete · PUT /runs/{run_id}/share · DELETE /runs/{run_id}/share
    POST /api/v2/runs/{run_id}/share · DELETE /api/v2/runs/{run_id}/share
    POST /api/v2/threads/{thread_id}/share · DELETE /api/v2/threads/{thread_id}/share
    POST /sessions · PATCH /sessions/{session_id} · DELETE /sessions/{session_id} · DELETE /sessions
    POST /api/v2/sessions · PATCH /api/v2/sessions/{session_id}
    POST /feedback · PATCH /feedback/{feedback_id} · DELETE /feedback/{feedback_id}
    POST /feedback-configs · PATCH /feedback-configs · DELETE /feedback-configs
    POST /datasets · PATCH /datasets/{dataset_id} · DELETE /datasets/{dataset_id}
    POST /datasets/upload · POST /datasets/clone · POST /datasets/comparative
    POST /datasets/{dataset_id}/index · DELETE /datasets/{dataset_id}/index
    DELETE /datasets/comparative/{comparison_id} · PUT /datasets/{dataset_id}/tags
    PUT /datasets/{dataset_id}/splits · PUT /datasets/{dataset_id}/share · DELETE /datasets/{dataset_id}/share
    POST /platform/datasets/{dataset_id}/examples · PATCH /platform/datasets/{dataset_id}/examples
    POST /platform/datasets/examples/delete · POST /examples · POST /examples/bulk · PATCH /examples/bulk
    PATCH /examples/{example_id} · DELETE /examples/{example_id} · DELETE /examples
    PATCH /platform/datasets/{dataset_id}/examples/metadata · POST /platform/examples/multipart
    DELETE /platform/datasets/{dataset_id}/examples/{example_id}
    POST /platform/annotation-queues/{queue_id}/items · PATCH /platform/annotation-queues/{queue_id}/items/{item_id}
    POST /platform/annotation-queues/{queue_id}/items/delete · POST /annotation-queues/populate
    POST /platform/annotation-queues/items/{queue_item_id}/status
    POST /annotation-queues · PATCH /annotation-queues/{queue_id} · DELETE /annotation-queues/{queue_id}
    POST /annotation-queues/status/{queue_run_id} · POST /annotation-queues/{queue_id}/runs
    POST /annotation-queues/{queue_id}/runs/by-key · POST /annotation-queues/{queue_id}/runs/delete
    PATCH /annotation-queues/{queue_id}/runs/{queue_run_id} · DELETE /annotation-queues/{queue_id}/runs/{queue_run_id}
    POST /charts/section · POST /charts/section/clone · PATCH /charts/section/{id}
    DELETE /charts/section/{id} · POST /charts/create · PATCH /charts/{id} · DELETE /charts/{id}
    POST /settings/handle · POST /repos · PATCH /repos/{owner}/{repo} · DELETE /repos/{owner}/{repo}
    POST /likes/{owner}/{repo} · POST /repos/{owner}/{repo}/tags · PATCH /repos/{owner}/{repo}/tags/{tag_name}
    DELETE /repos/{owner}/{repo}/tags/{tag_name} · POST /commits/{owner}/{repo}
    POST /platform/hub/repos/{owner}/{repo}/directories/commits
    DELETE /platform/hub/repos/{owner}/{repo}/directories
    POST /model-price-map · PUT /model-price-map/{price_id} · DELETE /model-price-map/{price_id}
    POST /model-price-map/recompute · PUT /platform/masks · POST /bulk-exports
    DELETE /bulk-exports/{bulk_export_id} · POST /generate`,

  admin: `
    GET /v2/api-keys · POST /v2/api-keys · DELETE /v2/api-keys/{api_key_id}
    GET /v2/audit · GET /v2/audit/verification
    POST /v2/integrations · PATCH /v2/integrations/{integration_id} · DELETE /v2/integrations/{integration_id}
    POST /v2/integrations/{integration_id}/webhook-secret`,

  // Admins, and keys without a workspace.
  platform: `
    GET /metrics`,
};

export type Access = keyof typeof ACCESS;

/** Required access by `METHOD /path`. */
export const accessOf = new Map(
  Object.entries(ACCESS).flatMap(([access, routes]) =>
    routes
      .split(/·|\n/)
      .map((route) => route.trim())
      .filter(Boolean)
      .map((route) => [route, access as Access] as const),
  ),
);
