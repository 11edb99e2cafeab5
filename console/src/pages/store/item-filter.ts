import type { ItemFilter } from '../../api/agent-store.ts';
import { objectFault, readJson } from '../../parts/json-text.ts';

/** The filter in the URL. Ignores invalid JSON objects. */
export function filterOf(search: URLSearchParams): ItemFilter {
  const namespace = search.get('namespace');
  const query = search.get('query');
  const filter = search.get('filter') ?? '';
  return {
    namespace_prefix: namespace ? namespace.split('.') : [],
    ...(query && { query }),
    ...(filter && !objectFault(filter) && { filter: readJson(filter) }),
    offset: Math.max(0, Number(search.get('offset')) || 0),
  };
}
