import type { Statement } from '../../platform/db/database.ts';
import type { RowFilter } from '../../platform/db/row-filter.ts';
import { Where } from '../../platform/db/where.ts';
import { within } from './store-repository.ts';
import { literalPrefix, type NamespaceMatch, namespacePattern, namespaceRange } from './store-namespace.ts';

export interface NamespaceSelection {
  /** All must match. */
  matches: readonly NamespaceMatch[];
  /** Truncates namespaces to this many labels. */
  max_depth?: number | undefined;
  reach?: RowFilter | undefined;
  limit: number;
  offset: number;
}

// Most repetitions a Postgres regular expression allows; deeper namespaces are listed in full.
const DEEPEST = 255;

/**
 * Distinct namespaces that contain items, in index order. Jumps from one namespace to the next instead of reading all
 * their items, and stops at the end of the page: a recursive query yields its rows one step at a time.
 */
export function namespacesSelect({
  matches,
  max_depth,
  reach,
  limit,
  offset,
}: NamespaceSelection): Statement {
  const where = new Where().and`(expires_at is null or expires_at > now())`;
  within(where, reach);
  for (const match of matches) {
    const range = namespaceRange(literalPrefix(match));
    if (range) where.and`namespace >= ${range[0]}`.and`namespace < ${range[1]}`;
    const pattern = namespacePattern(match);
    if (pattern) where.and`namespace ~ ${pattern}`;
  }
  const depth = max_depth === undefined ? undefined : Math.min(max_depth, DEEPEST);
  let found = 'namespace';
  let next = 'found || chr(1)';
  if (depth !== undefined) {
    found = `substring(namespace from ${where.bind(`^(?:[^.]+\\.){1,${depth}}`)})`;
    // Skips everything below a truncated namespace.
    const cut = `found ~ ${where.bind(`^(?:[^.]+\\.){${depth}}$`)}`;
    next = `case when ${cut} then left(found, -1) || '/' else ${next} end`;
  }
  const text = `with recursive step as (
      (select ${found} as found from store_item ${where.text} order by store_item.namespace limit 1)
      union all
      select (select ${found} from store_item ${where.text} and namespace >= ${next} order by store_item.namespace limit 1)
      from step where found is not null)
    select found as namespace from step where found is not null
    limit ${where.bind(limit)} offset ${where.bind(offset)}`;
  return { text, values: where.values };
}
