import { useSearchParams } from 'react-router';

/**
 * The parameters of the page's address, and a way to change them. A change begins with what the address says by then:
 * the next click may come before what the one before it did is drawn.
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
