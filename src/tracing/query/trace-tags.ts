/**
 * SQL array of the tags that a run's usage counts towards. Includes the root's tags, because clients tag roots. May
 * contain duplicates.
 */
export const TAGS_OF_TRACE = `r.tags || case when r.parent_run_id is not null and (r.total_tokens is not null or r.total_cost is not null)
  then coalesce((select root.tags from tracing.run root where root.tenant_id = r.tenant_id and root.trace_id = r.trace_id
    and root.parent_run_id is null limit 1), '{}') end`;
