-- A tenant's own model prices, which override the library's. Costs are dollars per token.
create table tracing.model_price (
  id uuid primary key,
  tenant_id uuid not null,
  name text not null,
  -- Applies to runs starting at or after this time; null applies always.
  start_time timestamptz,
  -- Keys whose value is matched with the pattern.
  match_path text[] not null,
  match_pattern text not null,
  provider text,
  prompt_cost numeric not null check (prompt_cost >= 0),
  completion_cost numeric not null check (completion_cost >= 0),
  prompt_cost_details jsonb,
  completion_cost_details jsonb,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);
create index model_price_of_tenant on tracing.model_price (tenant_id);

-- Model calls whose tokens or cost were unknown when stored. Written with the run and deleted once known.
create table tracing.usage_due (
  tenant_id uuid not null,
  run_id uuid not null,
  due_at timestamptz not null default clock_timestamp(),
  created_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, run_id)
);
create index usage_due_first on tracing.usage_due (due_at);
