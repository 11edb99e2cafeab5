import { lookup } from 'node:dns/promises';
import { type Destination, destination } from './destinations.ts';

interface Services {
  DATABASE_URL?: string | undefined;
  TEMPORAL_ADDRESS?: string | undefined;
}

const POSTGRES_PORT = 5432;

/** Postgres and Temporal of the platform, wherever they are. */
export async function serviceAddresses({ DATABASE_URL, TEMPORAL_ADDRESS }: Services): Promise<Destination[]> {
  const urls = [DATABASE_URL, TEMPORAL_ADDRESS && `tcp://${TEMPORAL_ADDRESS}`];
  const resolved = urls
    .filter((url) => url !== undefined && url !== '')
    .map((url) => addressesOf(url!, POSTGRES_PORT));
  return (await Promise.all(resolved)).flat();
}

/** Where a URL leads to by now; nowhere when its name is not known. */
export async function addressesOf(url: string, defaultPort: number): Promise<Destination[]> {
  if (!URL.canParse(url)) return [];
  const { hostname, port } = new URL(url);
  const host = decodeURIComponent(hostname).replace(/^\[(.*)\]$/, '$1');
  if (!host) return [];
  const found = await lookup(host, { all: true }).catch(() => []);
  return found.map(({ address }) => destination(address, Number(port) || defaultPort));
}
