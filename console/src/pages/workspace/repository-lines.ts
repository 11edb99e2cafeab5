import { ApiError } from '../../api/api-error.ts';
import type { Repository } from '../../api/integration-records.ts';

const DEFAULT_BRANCH = 'main';

/** An address, and its branch where that is not `main`: a repository as a line. */
export const repositoryLines = (repositories: Repository[]): string =>
  repositories
    .map(({ url, default_branch }) => (default_branch === DEFAULT_BRANCH ? url : `${url} ${default_branch}`))
    .join('\n');

/** The repositories of a text. Throws ApiError, at the field `repositories`, for a line that names none. */
export function readRepositories(text: string): Repository[] {
  return text.split('\n').flatMap((line, index) => {
    const [url, default_branch = DEFAULT_BRANCH, ...more] = line.trim().split(/\s+/);
    if (!url) return [];
    // `https://host/owner/name.git` and `git@host:owner/name.git`; groups of a host may lie in one another.
    const [, owner, name] = /[/:@][^/:@]+(?::\d+)?[/:]([^:@?#]+)\/([^/:?#]+?)(?:\.git)?\/?$/.exec(url) ?? [];
    if (!owner || !name || more.length > 0)
      throw fault(`line ${index + 1} is not an address, or one and a branch`);
    return [{ owner: owner.replace(/^\/+/, ''), name, url, default_branch }];
  });
}

const fault = (msg: string): ApiError =>
  new ApiError(422, msg, { faults: [{ loc: ['body', 'repositories'], msg, type: 'value_error' }] });
