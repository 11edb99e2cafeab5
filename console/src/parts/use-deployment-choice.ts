import { useQuery } from '@tanstack/react-query';
import { deploymentsQuery } from '../api/control-plane.ts';
import { useSearch } from './use-search.ts';

const LAST = 'slipway.deployment';

/**
 * The deployment in the URL, the last selected, or the first running one. Selecting another clears the other
 * parameters.
 */
export function useDeploymentChoice(): [string | undefined, (id: string) => void] {
  const { data = [] } = useQuery(deploymentsQuery);
  const [search, setSearch] = useSearch();
  const last = sessionStorage.getItem(LAST);
  const chosen =
    search.get('deployment') ??
    (
      data.find(({ id }) => id === last) ??
      data.find(({ active_revision_id }) => active_revision_id) ??
      data[0]
    )?.id;
  const choose = (id: string): void => {
    sessionStorage.setItem(LAST, id);
    setSearch({ deployment: id }, { replace: true });
  };
  return [chosen, choose];
}
