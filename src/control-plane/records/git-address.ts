import { lookup } from 'node:dns/promises';
import { refusedAddress } from '../../platform/network-address.ts';
import { BuildFailed } from '../errors.ts';

/** The address of a repository. */
export interface GitAddress {
  /** As passed to git. */
  url: string;
  protocol: string;
  /** Empty for a file. */
  host: string;
  port: string;
}

// `user@host:path`, ssh's short form.
const SHORT_SSH = /^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)(?!\d+\/)([^\s]+)$/;
const DEFAULT_PORTS: Record<string, string> = { https: '443', http: '80', ssh: '22' };

/** Throws BuildFailed for an invalid address or a disallowed protocol. */
export function readGitAddress(text: unknown, protocols: string[]): GitAddress {
  if (typeof text !== 'string') throw new BuildFailed('repo_url is missing');
  const short = SHORT_SSH.exec(text);
  const address = short ? { url: text, protocol: 'ssh', host: short[1]!, port: '22' } : fromUrl(text);
  if (!protocols.includes(address.protocol))
    throw new BuildFailed(
      `repo_url: ${address.protocol} is not allowed, only ${protocols.join(', ')} (SLIPWAY_GIT_PROTOCOLS)`,
    );
  if (address.host.startsWith('-')) throw new BuildFailed('repo_url has no host');
  return address;
}

/** Why an address is invalid under any settings; viewers see it. */
export function faultOfRepoUrl(text: unknown): string | undefined {
  if (text === undefined) return undefined;
  try {
    readGitAddress(text, ['https', 'http', 'ssh', 'file']);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function fromUrl(text: string): GitAddress {
  // git would run `transport::address` as a program.
  const url = URL.canParse(text) && /^[a-z]+:\/\//i.test(text) ? new URL(text) : undefined;
  if (!url) throw new BuildFailed('repo_url is not the URL of a Git repository');
  const protocol = url.protocol.slice(0, -1);
  // The name that is resolved must be the name git connects to.
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1);
  if (url.password || (url.username && protocol !== 'ssh'))
    throw new BuildFailed('repo_url holds a password; put it into the secret GIT_TOKEN');
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return { url: url.href, protocol, host, port: url.port || DEFAULT_PORTS[protocol] || '' };
}

/** Pins the address, so that DNS can't change it between check and fetch. Throws BuildFailed for a disallowed one. */
export async function resolveHost(
  { host }: GitAddress,
  { allowPrivate }: { allowPrivate: boolean },
): Promise<string> {
  const found = await lookup(host, { all: true, verbatim: false }).catch(() => []);
  if (found.length === 0) throw new BuildFailed(`repo_url: the host ${host} cannot be found`);
  for (const { address } of found) {
    const why = refusedAddress(address, { disable_private_ips: !allowPrivate });
    if (why) throw new BuildFailed(`repo_url ${why}; private ones need SLIPWAY_GIT_PRIVATE_ADDRESSES`);
  }
  return found[0]!.address;
}

const FULL_REF = /^refs\/(?:tags|heads)\/|^refs\/(?:pull|merge-requests)\/\d+\/head$/;

/**
 * The ref to fetch: a branch, a tag as `refs/tags/…`, a pull request's ref, or the default branch. Throws BuildFailed
 * for an invalid name.
 */
export function gitRef(name: unknown): string {
  if (typeof name !== 'string' || name === '') return 'HEAD';
  const full = FULL_REF.test(name) ? name : `refs/heads/${name}`;
  // From git-check-ref-format. A colon would make git write, and a star match many.
  const refused =
    name.startsWith('-') ||
    /[\0-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|\/$|\.$/.test(full) ||
    full.split('/').some((part) => part.startsWith('.') || part.endsWith('.lock'));
  if (refused || name.length > 1_024)
    throw new BuildFailed(`repo_ref '${name.slice(0, 100)}' is not a branch or a tag`);
  return full;
}
