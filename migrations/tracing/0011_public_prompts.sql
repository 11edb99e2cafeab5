-- What is public is seen by every tenant, also where rows are secured by tenant: prompts, their likes, and the name of
-- whose they are. To change them stays with their owner.
create policy public_repo on tracing.repo for select using (is_public);
create policy public_like on tracing.repo_like for select
  using (exists (select 1 from tracing.repo r where r.id = repo_id and r.is_public));
create policy handle on tracing.hub_settings for select using (tenant_handle is not null);
