type Json = Record<string, unknown>;

/** Keeps only the given dotted paths, such as `values.messages`; everything if none are given. */
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

// Without a prototype, `__proto__` is an ordinary key.
const emptyJson = (): Json => Object.create(null) as Json;
