import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { BuildFailed } from '../errors.ts';
import { type Destination, destination } from '../fence/destinations.ts';
import type { BuildFolders } from '../build-folders.ts';
import type { LogSink } from '../log.ts';
import { type GitAddress, gitRef, readGitAddress, resolveHost } from '../records/git-address.ts';
import { type GitAccess, type LentCredentials, sshAccess, tokenAccess, withLent } from './git-credentials.ts';
import { hostAlias, keepKeys, knownKeys } from './host-keys.ts';
import { removeTree } from './remove-tree.ts';
import type { Sandbox } from './sandbox.ts';

// Exit code of a shell that finds no such program.
const NOT_FOUND = 127;
const MOST_LINES = 1_000;

export interface GitSource {
  repo_url: unknown;
  repo_ref: unknown;
  /** Commit to fetch instead of the ref's head; must be reachable from the ref. */
  commit?: unknown;
  /** The revision's variables that hold git credentials. */
  secrets: Record<string, string>;
  lent?: LentCredentials | undefined;
  /** Allowed protocols. */
  protocols: string[];
  allowPrivate: boolean;
  folders: BuildFolders;
  /** Folder of this attempt; the project goes to its `source`. */
  work: string;
  sandbox: Sandbox;
  log: LogSink;
}

/**
 * Fetches one commit without history and returns its id. git runs enclosed, as the build's user. Throws BuildFailed.
 */
export async function fetchGitSource(options: GitSource): Promise<string> {
  const { repo_url, protocols, work, sandbox, folders, log } = options;
  const address = readGitAddress(repo_url, protocols);
  const ref = gitRef(options.repo_ref);
  const source = join(work, 'source');
  // Holds the credentials; removed before the next step.
  const folder = join(work, 'git');
  await mkdir(source, { recursive: true });
  await mkdir(folder, { mode: 0o700 });
  const access = await accessTo(address, folder, options);
  const attempt = async (...args: string[]): Promise<{ code: number | null; lines: string[] }> => {
    const lines: string[] = [];
    const { code } = await sandbox.runProgram({
      command: ['git', ...args],
      cache: folder,
      environment: (places) => gitEnvironment(places.work, address.protocol, access),
      onLine: (line) => void (lines.length < MOST_LINES && lines.push(line)),
      reaches: access.reaches,
    });
    if (code === NOT_FOUND) throw new BuildFailed('git is not installed where builds run');
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
  const fetch = ['fetch', '--quiet', '--no-tags', '--no-recurse-submodules', ...serverOptions(address)];
  const pinned = pinnedCommit(options.commit);
  if (!pinned) await git(...fetch, '--depth=1', '--', address.url, ref);
  else if ((await attempt(...fetch, '--depth=1', '--', address.url, pinned)).code !== 0) {
    // Some servers serve only refs, not commits.
    await git(...fetch, '--', address.url, ref);
    if ((await attempt('cat-file', '-e', `${pinned}^{commit}`)).code !== 0)
      throw new BuildFailed(`Commit ${pinned} is no longer in ${ref} of ${address.url}`);
  }
  if (access.isFirstContact) {
    const alias = hostAlias(address.host, address.port);
    await keepKeys(folders.knownHosts, alias, { sandbox, folder });
  }
  const [commit = ''] = await git('rev-parse', '--verify', `${pinned ?? 'FETCH_HEAD'}^{commit}`);
  await git('checkout', '--quiet', '--detach', commit, '--');
  // Without the history, two builds of a commit are identical.
  await removeTree(join(source, '.git'), folder);
  log(`Fetched commit ${commit}`);
  return commit;
}

/** A repository of this machine may belong to another user than the build's; it may read it all the same. */
const serverOptions = ({ protocol }: GitAddress): string[] =>
  protocol === 'file' ? [`--upload-pack=git -c 'safe.directory=*' upload-pack`] : [];

function pinnedCommit(commit: unknown): string | undefined {
  if (commit === undefined || commit === null) return undefined;
  if (typeof commit === 'string' && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit)) return commit;
  throw new BuildFailed('repo_commit_sha is not a commit id');
}

interface Access extends GitAccess {
  /** The server's key is not known yet: the one it shows is kept. */
  isFirstContact?: boolean;
  /** The server, where one is asked. */
  reaches?: Destination[];
}

async function accessTo(address: GitAddress, folder: string, options: GitSource): Promise<Access> {
  const { folders, allowPrivate } = options;
  const secrets = withLent(address, options.secrets, options.lent);
  const { protocol, host, port } = address;
  if (protocol === 'file') return { settings: [], env: {} };
  const ip = await resolveHost(address, { allowPrivate });
  const reaches = [destination(ip, Number(port))];
  if (protocol === 'ssh') {
    const { GIT_SSH_KEY: key, GIT_SSH_KNOWN_HOSTS: given } = secrets;
    const alias = hostAlias(host, port);
    const keys = given ?? (await knownKeys(folders.knownHosts, alias));
    const access = await sshAccess(folder, key, { address: ip, alias, keys, isPinned: Boolean(given) });
    return { ...access, isFirstContact: keys === '', reaches };
  }
  const { settings, env } = tokenAccess(address, secrets);
  const pinned = `${host}:${port}:${ip.includes(':') ? `[${ip}]` : ip}`;
  return { settings: [...settings, ['http.curloptResolve', pinned]], env, reaches };
}

/**
 * git reads no configuration of this machine, never prompts, runs no hooks of the repository, and uses one protocol.
 */
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
    HOME: join(work, 'home'),
    LC_ALL: 'C',
    GIT_CEILING_DIRECTORIES: work,
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
  };
}

function explain(lines: string[], { protocol }: GitAddress): string {
  const output = lines.filter((line) => /^(fatal|error|remote):/.test(line)).join(' ');
  if (/could not read Username|Authentication failed|403|401/.test(output))
    return 'the server wants other credentials: give the integration a token, or set the secret GIT_TOKEN, and GIT_USERNAME where it needs one';
  if (lines.some((line) => line.includes('Host key verification failed')))
    return 'the host key is not the one that is known (GIT_SSH_KNOWN_HOSTS, ssh_known_hosts of the integration)';
  if (protocol === 'ssh' && /Permission denied|Could not read from remote/.test(output))
    return 'the server refused: give the integration an ssh_key that may read the repository, or set the secret GIT_SSH_KEY';
  if (/couldn't find remote ref/.test(output)) return 'there is no such branch or tag';
  if (/error: 30[1278]/.test(output)) return 'the server redirects; give the address it redirects to';
  return output.slice(0, 500) || 'it failed without output';
}
