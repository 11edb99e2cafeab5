-- Charts of a workspace, in sections.
create table tracing.chart_section (
  id uuid primary key,
  tenant_id uuid not null,
  title text not null,
  description text,
  index integer not null default 0,
  created_at timestamptz not null default clock_timestamp()
);
create index chart_section_of_tenant on tracing.chart_section (tenant_id, index, created_at);

create table tracing.chart (
  id uuid primary key,
  tenant_id uuid not null,
  section_id uuid references tracing.chart_section on delete cascade,
  title text not null,
  description text,
  chart_type text not null,
  index integer not null default 0,
  metadata jsonb,
  -- The series to draw, each with its own id.
  series jsonb not null,
  common_filters jsonb,
  created_at timestamptz not null default clock_timestamp()
);
create index chart_of_section on tracing.chart (tenant_id, section_id, index, created_at);
