import { ApiError } from '../api/api-error.ts';

/**
 * Server-side errors at or below a form field, by its path in the body (`source_config.repo_url`). Undefined if there
 * are none, as an input's `error` expects.
 */
export function faultAt(error: unknown, place: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const found = error.faults.filter(({ loc }) => {
    const at = loc.slice(1).join('.');
    return at === place || at.startsWith(`${place}.`);
  });
  return found.length > 0 ? found.map(({ msg }) => msg).join('; ') : undefined;
}
