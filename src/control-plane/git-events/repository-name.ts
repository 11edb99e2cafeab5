const SHORT_SSH = /^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)(?!\d+\/)([^\s]+)$/;
const USUAL_PORTS = new Set(['', '22', '80', '443']);

/** Where a repository is on its host. */
export interface RepositoryPlace {
  host: string;
  port: string;
  /** Without slashes around it, and without `.git`. */
  path: string;
}

/** Of an https or ssh address, or the short form of ssh. Undefined for what is no address. */
export function repositoryPlace(address: unknown): RepositoryPlace | undefined {
  if (typeof address !== 'string') return undefined;
  const short = SHORT_SSH.exec(address);
  if (short) return { host: short[1]!.toLowerCase(), port: '', path: plain(short[2]!) };
  if (!URL.canParse(address)) return undefined;
  const { hostname, port, pathname } = new URL(address);
  return { host: hostname.toLowerCase(), port, path: plain(pathname) };
}

/**
 * The same for every spelling of a repository's address: https or ssh, with `.git` or without, in whatever case.
 * Undefined for what is no address.
 */
export function repositoryName(address: unknown): string | undefined {
  const place = repositoryPlace(address);
  if (!place) return undefined;
  const { host, port, path } = place;
  return `${host}${USUAL_PORTS.has(port) ? '' : `:${port}`}/${path}`.toLowerCase();
}

const plain = (path: string): string =>
  path
    .replace(/^\/+/, '')
    .replace(/\/+$/, '')
    .replace(/\.git$/i, '');
