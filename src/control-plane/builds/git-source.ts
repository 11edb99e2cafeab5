import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BuildFailed } from '../errors.ts';
import type { BuildFolders } from './build-folders.ts';
import type { LogSink } from './builder.ts';
import { type GitAddress, gitRef, readGitAddress, resolveHost } from './git-address.ts';
import { type GitAccess, type LentCredentials, sshAccess, tokenAccess, withLent } from './git-credentials.ts';
import { GROUP_MARK, runGroup } from './process-group.ts';

export interface GitSource {
  repo_url: unknown;
  repo_ref: unknown;
  /** What to fetch whatever the ref leads to by now; it must be, or have been, on it. */
  commit?: unknown;
  /** Variables of the revision, for those that let git in. */
  secrets: Record<string, string>;
  lent?: LentCredentials | undefined;
  /** Protocols that may be used. */
  protocols: string[];
  allowPrivate: boolean;
  folders: BuildFolders;
  /** Folder of this attempt alone; the project becomes its `source`. */
  work: string;
  log: LogSink;
  signal: AbortSignal;
}

/** Fetches one commit without its history, and returns its id. Throws BuildFailed. */
export async function fetchGitSource(options: GitSource): Promise<string> {
  const { repo_url, protocols, work, log, signal } = options;
  const address = readGitAddress(repo_url, protocols);
  const ref = gitRef(options.repo_ref);
  const access = await accessTo(address, options);
  const source = join(work, 'source');
  await mkdir(source, { recursive: true });
  const attempt = async (...args: string[]): Promise<{ code: number | null; lines: string[] }> => {
    const lines: string[] = [];
    const env = gitEnvironment(work, address.protocol, access);
    const onLine = (line: string) => lines.push(line);
    const { code } = await runGroup({ command: 'git', args, cwd: source, env, signal, onLine }).catch(
      (error) => {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT')
          throw new BuildFailed('git is not installed where builds run');
        throw error;
      },
    );
    return { code, lines };
  };
  const git = async (...args: string[]): Promise<string[]> => {
    const { code, lines } = await attempt(...args);
    if (code === 0) return lines;
    lines.forEach((line) => log(line, 'error'));
    throw new BuildFailed(`git could not fetch ${ref} of ${address.url}: ${explain(lines, address)}`);
  };
  log(`Fetching ${ref === 'HEAD' ? 'the default branch' : ref} of ${address.url}`);
  await git('init', '--quiet', '--template=');
  const fetch = ['fetch', '--quiet', '--no-tags', '--no-recurse-submodules'];
  const pinned = pinnedCommit(options.commit);
  if (!pinned) await git(...fetch, '--depth=1', '--', address.url, ref);
  else if ((await attempt(...fetch, '--depth=1', '--', address.url, pinned)).code !== 0) {
    // A server may refuse to be asked for anything but its refs.
    await git(...fetch, '--', address.url, ref);
    if ((await attempt('cat-file', '-e', `${pinned}^{commit}`)).code !== 0)
      throw new BuildFailed(`Commit ${pinned} is not in ${ref} of ${address.url} any longer`);
  }
  const [commit = ''] = await git('rev-parse', '--verify', `${pinned ?? 'FETCH_HEAD'}^{commit}`);
  await git('checkout', '--quiet', '--detach', commit, '--');
  // The history is no part of what is built, and would make two builds of a commit differ.
  await rm(join(source, '.git'), { recursive: true, force: true });
  await rm(join(work, 'git'), { recursive: true, force: true });
  log(`Fetched commit ${commit}`);
  return commit;
}

function pinnedCommit(commit: unknown): string | undefined {
  if (commit === undefined || commit === null) return undefined;
  if (typeof commit === 'string' && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit)) return commit;
  throw new BuildFailed('repo_commit_sha is not the id of a commit');
}

async function accessTo(address: GitAddress, options: GitSource): Promise<GitAccess> {
  const { work, folders, allowPrivate } = options;
  const secrets = withLent(address, options.secrets, options.lent);
  const { protocol, host, port } = address;
  if (protocol === 'file') return { settings: [], env: {} };
  const ip = await resolveHost(address, { allowPrivate });
  if (protocol === 'ssh')
    return sshAccess(join(work, 'git'), secrets, { address: ip, host, port, knownHosts: folders.knownHosts });
  const { settings, env } = tokenAccess(address, secrets);
  const pinned = `${host}:${port}:${ip.includes(':') ? `[${ip}]` : ip}`;
  return { settings: [...settings, ['http.curloptResolve', pinned]], env };
}

/** git reads nothing of this machine's, asks nobody, runs nothing of the repository's, and speaks one protocol. */
function gitEnvironment(
  work: string,
  protocol: string,
  { settings, env }: GitAccess,
): Record<string, string> {
  const config: [string, string][] = [
    ['protocol.allow', 'never'],
    [`protocol.${protocol}.allow`, 'always'],
    ['http.followRedirects', 'false'],
    ['http.lowSpeedLimit', '1000'],
    ['http.lowSpeedTime', '60'],
    ['credential.helper', ''],
    ['core.hooksPath', '/dev/null'],
    ['core.fsmonitor', 'false'],
    ['core.autocrlf', 'false'],
    ['advice.detachedHead', 'false'],
    ['safe.directory', '*'],
    ['maintenance.auto', 'false'],
    ...settings,
  ];
  return {
    PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: work,
    LC_ALL: 'C',
    GIT_CEILING_DIRECTORIES: dirname(work),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '/bin/false',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_CONFIG_COUNT: String(config.length),
    ...Object.fromEntries(
      config.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
    ...env,
    [GROUP_MARK]: randomUUID(),
  };
}

function explain(lines: string[], { protocol }: GitAddress): string {
  const said = lines.filter((line) => /^(fatal|error|remote):/.test(line)).join(' ');
  if (/could not read Username|Authentication failed|403|401/.test(said))
    return 'the server wants other credentials: give the integration a token, or set the secret GIT_TOKEN, and GIT_USERNAME where it needs one';
  if (lines.some((line) => line.includes('Host key verification failed')))
    return 'the host key is not the one that is known (GIT_SSH_KNOWN_HOSTS, ssh_known_hosts of the integration)';
  if (protocol === 'ssh' && /Permission denied|Could not read from remote/.test(said))
    return 'the server refused: give the integration an ssh_key that may read the repository, or set the secret GIT_SSH_KEY';
  if (/couldn't find remote ref/.test(said)) return 'there is no such branch or tag';
  if (/error: 30[1278]/.test(said)) return 'the server redirects; give the address it redirects to';
  return said.slice(0, 500) || 'it failed without a word';
}
