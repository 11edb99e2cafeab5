import { ApiError } from '../api/api-error.ts';

/**
 * What the server found at a field of a form, by its place in the body (`source_config.repo_url`), and at all that is
 * inside it. Undefined for nothing: what an input wants as its `error`.
 */
export function faultAt(error: unknown, place: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const found = error.faults.filter(({ loc }) => {
    const at = loc.slice(1).join('.');
    return at === place || at.startsWith(`${place}.`);
  });
  return found.length > 0 ? found.map(({ msg }) => msg).join('; ') : undefined;
}
