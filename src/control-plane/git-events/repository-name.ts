const SHORT_SSH = /^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)(?!\d+\/)([^\s]+)$/;
const USUAL_PORTS = new Set(['', '22', '80', '443']);

/** A repository's location on its host. */
export interface RepositoryLocation {
  host: string;
  port: string;
  /** Without leading and trailing slashes and `.git`. */
  path: string;
}

/** Parses https and ssh addresses, including ssh's short form. Undefined if it is not an address. */
export function repositoryLocation(address: unknown): RepositoryLocation | undefined {
  if (typeof address !== 'string') return undefined;
  const short = SHORT_SSH.exec(address);
  if (short) return { host: short[1]!.toLowerCase(), port: '', path: plain(short[2]!) };
  if (!URL.canParse(address)) return undefined;
  const { hostname, port, pathname } = new URL(address);
  return { host: hostname.toLowerCase(), port, path: plain(pathname) };
}

/** The same name for every spelling of a repository's address. Undefined if it is not an address. */
export function repositoryName(address: unknown): string | undefined {
  const location = repositoryLocation(address);
  if (!location) return undefined;
  const { host, port, path } = location;
  return `${host}${USUAL_PORTS.has(port) ? '' : `:${port}`}/${path}`.toLowerCase();
}

const plain = (path: string): string =>
  path
    .replace(/^\/+/, '')
    .replace(/\/+$/, '')
    .replace(/\.git$/i, '');
