import { existsSync } from 'node:fs';

function findRoot(from: URL): URL {
  if (existsSync(new URL('package.json', from))) return from;
  const parent = new URL('../', from);
  if (parent.href === from.href) throw new Error('slipway is not inside its package');
  return findRoot(parent);
}

/** Root folder of the package, whether the code runs from source or from dist. */
export const packageRoot = findRoot(new URL('./', import.meta.url));
