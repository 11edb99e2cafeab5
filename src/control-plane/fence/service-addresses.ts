import { lookup } from 'node:dns/promises';
import { type Destination, destination } from './destinations.ts';

interface Services {
  DATABASE_URL?: string | undefined;
  TEMPORAL_ADDRESS?: string | undefined;
}

const POSTGRES_PORT = 5432;

/** Addresses of the platform's Postgres and Temporal. */
export async function serviceAddresses({ DATABASE_URL, TEMPORAL_ADDRESS }: Services): Promise<Destination[]> {
  const urls = [DATABASE_URL, TEMPORAL_ADDRESS && `tcp://${TEMPORAL_ADDRESS}`];
  const resolved = urls
    .filter((url) => url !== undefined && url !== '')
    .map((url) => addressesOf(url!, POSTGRES_PORT));
  return (await Promise.all(resolved)).flat();
}

/** Resolves a URL to its current addresses; empty if the name is unknown. */
export async function addressesOf(url: string, defaultPort: number): Promise<Destination[]> {
  if (!URL.canParse(url)) return [];
  const { hostname, port } = new URL(url);
  const host = decodeURIComponent(hostname).replace(/^\[(.*)\]$/, '$1');
  if (!host) return [];
  const found = await lookup(host, { all: true }).catch(() => []);
  return found.map(({ address }) => destination(address, Number(port) || defaultPort));
}
