import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { chooseTenant, chosenTenant } from '../../api/http.ts';
import { sessionQuery } from '../../api/session.ts';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { meantBy } from './addresses.ts';

/** Redirects to the page, keeping the query string and switching to the named workspace if allowed. */
export function Component() {
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { data: session } = useQuery(sessionQuery);
  const meant = meantBy(pathname);
  useEffect(() => {
    if (!session || !meant) return;
    const { page, tenantId } = meant;
    if (
      tenantId &&
      tenantId !== (chosenTenant() ?? session.tenant_id) &&
      session.grants.some(({ tenant_id }) => tenant_id === tenantId)
    ) {
      chooseTenant(tenantId);
      // Cached data belongs to the previous workspace.
      void queries.resetQueries();
    }
    void navigate(page.includes('?') ? page : page + search, { replace: true });
  }, [session, pathname]);
  return meant ? null : <Unknown />;
}

const Unknown = () => (
  <>
    <PageHeader title="Page not found" />
    <EmptyState title="Page not found">This link does not match any page of the console.</EmptyState>
  </>
);
