type Json = Record<string, unknown>;

/** Keeps only the dotted paths named, such as `values.messages`; everything when none is. */
export function selectPaths(state: Json, paths: string[] | undefined): Json {
  if (!paths || paths.length === 0) return state;
  const selected = emptyJson();
  for (const path of paths) copyPath(state, selected, path.split('.'));
  return selected;
}

function copyPath(from: Json, to: Json, [key, ...rest]: string[]): void {
  if (key === undefined || !Object.hasOwn(from, key)) return;
  const value = from[key];
  if (rest.length === 0 || typeof value !== 'object' || value === null) {
    to[key] = value;
  } else {
    copyPath(value as Json, (to[key] ??= emptyJson()) as Json, rest);
  }
}

// Without a prototype, `__proto__` is a name like any other.
const emptyJson = (): Json => Object.create(null) as Json;
