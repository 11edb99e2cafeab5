const MAX_PAIRS = 5_000;

/**
 * All keys of a JSON value with their values. Nested keys are dotted, and lists add no index: `{a: [{b: 1}]}` has `a`
 * and `a.b`. Must match tracing.pairs in SQL.
 */
export function flatPairs(value: unknown): [string, unknown][] {
  const pairs: [string, unknown][] = [];
  const visit = (item: unknown, key: string): void => {
    if (typeof item !== 'object' || item === null || pairs.length >= MAX_PAIRS) return;
    for (const [name, inner] of Array.isArray(item)
      ? item.map((inner) => [undefined, inner] as const)
      : Object.entries(item)) {
      const path = name === undefined ? key : key ? `${key}.${name}` : name;
      if (path) pairs.push([path, inner]);
      visit(inner, path);
    }
  };
  visit(value, '');
  return pairs;
}
