import { useSearchParams } from 'react-router';

/**
 * Query parameters of the page. Updates are based on the current URL rather than the last render, so that quick
 * clicks do not undo each other.
 */
export function useSearch(): ReturnType<typeof useSearchParams> {
  const [search, setSearch] = useSearchParams();
  return [
    search,
    (next, options) =>
      setSearch(
        typeof next === 'function' ? () => next(new URLSearchParams(window.location.search)) : next,
        options,
      ),
  ];
}
