-- Every tenant can read public prompts, their likes and the name of their owner, even with row-level security. Only
-- the owner can change them.
create policy public_repo on tracing.repo for select using (is_public);
create policy public_like on tracing.repo_like for select
  using (exists (select 1 from tracing.repo r where r.id = repo_id and r.is_public));
create policy handle on tracing.hub_settings for select using (tenant_handle is not null);
