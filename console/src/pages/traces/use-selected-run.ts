import { useEffect, useState } from 'react';
import { useNavigationType } from 'react-router';
import { useSearch } from '../../parts/use-search.ts';

const SETTLED_MS = 150;

/**
 * The run that is looked at, kept in the address once the arrows rest on it: browsers refuse addresses that change as
 * fast as a key repeats.
 */
export function useSelectedRun(root: string): [string, (runId: string) => void] {
  const [search, setSearch] = useSearch();
  const inAddress = search.get('run') ?? root;
  const [selected, select] = useState(inAddress);
  const came = useNavigationType();
  useEffect(() => {
    // What is written below may be there after the next key only: that one counts.
    if (came !== 'REPLACE') select(inAddress);
  }, [inAddress]);
  useEffect(() => {
    if (selected === inAddress) return undefined;
    const timer = setTimeout(
      () =>
        setSearch(
          (before) => {
            if (selected === root) before.delete('run');
            else before.set('run', selected);
            return before;
          },
          { replace: true, preventScrollReset: true },
        ),
      SETTLED_MS,
    );
    return () => clearTimeout(timer);
  }, [selected, inAddress]);
  return [selected, select];
}
