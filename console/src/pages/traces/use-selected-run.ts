import { useEffect, useState } from 'react';
import { useNavigationType } from 'react-router';
import { useSearch } from '../../parts/use-search.ts';

const SETTLED_MS = 150;

/** The selected run. Updates the URL with a delay, because browsers throttle changes at key-repeat speed. */
export function useSelectedRun(root: string): [string, (runId: string) => void] {
  const [search, setSearch] = useSearch();
  const inAddress = search.get('run') ?? root;
  const [selected, select] = useState(inAddress);
  const came = useNavigationType();
  useEffect(() => {
    // Ignores our own delayed URL updates, which may arrive after the next key.
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
