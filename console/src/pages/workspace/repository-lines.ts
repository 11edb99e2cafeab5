import { ApiError } from '../../api/api-error.ts';
import type { Repository } from '../../api/integration-records.ts';

const DEFAULT_BRANCH = 'main';

/** A repository per line, with its branch unless that is `main`. */
export const repositoryLines = (repositories: Repository[]): string =>
  repositories
    .map(({ url, default_branch }) => (default_branch === DEFAULT_BRANCH ? url : `${url} ${default_branch}`))
    .join('\n');

/** Parses repositories, one per line. Throws ApiError at the field `repositories` for invalid lines. */
export function readRepositories(text: string): Repository[] {
  return text.split('\n').flatMap((line, index) => {
    const [url, default_branch = DEFAULT_BRANCH, ...more] = line.trim().split(/\s+/);
    if (!url) return [];
    // `https://host/owner/name.git` and `git@host:owner/name.git`; groups may be nested.
    const [, owner, name] = /[/:@][^/:@]+(?::\d+)?[/:]([^:@?#]+)\/([^/:?#]+?)(?:\.git)?\/?$/.exec(url) ?? [];
    if (!owner || !name || more.length > 0)
      throw fault(`line ${index + 1} must be a URL, optionally followed by a branch`);
    return [{ owner: owner.replace(/^\/+/, ''), name, url, default_branch }];
  });
}

const fault = (msg: string): ApiError =>
  new ApiError(422, msg, { faults: [{ loc: ['body', 'repositories'], msg, type: 'value_error' }] });
