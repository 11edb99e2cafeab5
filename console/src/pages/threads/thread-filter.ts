import type { ThreadFilter } from '../../api/agent-threads.ts';
import { objectFault, readJson } from '../../parts/json-text.ts';

/** The filter in the URL. Ignores invalid JSON objects. */
export function filterOf(search: URLSearchParams): ThreadFilter {
  const objectOf = (name: string): unknown => {
    const text = search.get(name) ?? '';
    return objectFault(text) ? undefined : readJson(text);
  };
  const status = search.get('status');
  const metadata = objectOf('metadata');
  const values = objectOf('values');
  return {
    ...(status && { status }),
    ...(metadata !== undefined && { metadata }),
    ...(values !== undefined && { values }),
    offset: Math.max(0, Number(search.get('offset')) || 0),
  };
}

export const isFiltered = ({ status, metadata, values }: ThreadFilter): boolean =>
  status !== undefined || metadata !== undefined || values !== undefined;
