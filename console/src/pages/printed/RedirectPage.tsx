import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { chooseTenant, chosenTenant } from '../../api/http.ts';
import { sessionQuery } from '../../api/session.ts';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { meantBy } from './addresses.ts';

/** Leads on, with what follows the `?`; into the workspace that is named, where whoever is signed in may be there. */
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
      // Everything that was read belongs to the other workspace.
      void queries.resetQueries();
    }
    void navigate(page.includes('?') ? page : page + search, { replace: true });
  }, [session, pathname]);
  return meant ? null : <Unknown />;
}

const Unknown = () => (
  <>
    <PageHeader title="Page not found" />
    <EmptyState title="There is no such page">What this address names has no page here.</EmptyState>
  </>
);
