import { useSearch } from './use-search.ts';

export interface Sort {
  column: string;
  descending: boolean;
}

/** Sort order of a table, stored in the URL: `?sort=-created`. */
export function useSort(parameter = 'sort'): [Sort | undefined, (sort: Sort) => void] {
  const [search, setSearch] = useSearch();
  const text = search.get(parameter);
  const sort = text ? { column: text.replace(/^-/, ''), descending: text.startsWith('-') } : undefined;
  const setSort = ({ column, descending }: Sort): void =>
    setSearch(
      (before) => {
        before.set(parameter, descending ? `-${column}` : column);
        return before;
      },
      { replace: true, preventScrollReset: true },
    );
  return [sort, setSort];
}
