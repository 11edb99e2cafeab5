import { lookup } from 'node:dns/promises';
import { type Destination, destination } from './destinations.ts';

/** Where the platform's Postgres and Temporal are. */
export interface Services {
  DATABASE_URL?: string | undefined;
  TEMPORAL_ADDRESS?: string | undefined;
}

const POSTGRES_PORT = 5432;
const TEMPORAL_PORT = 7233;
const HTTPS_PORT = 443;
const HTTP_PORT = 80;

const urlsOf = ({ DATABASE_URL, TEMPORAL_ADDRESS }: Services): [url: string, defaultPort: number][] => [
  ...(DATABASE_URL ? [[DATABASE_URL, POSTGRES_PORT] as [string, number]] : []),
  ...(TEMPORAL_ADDRESS ? [[`tcp://${TEMPORAL_ADDRESS}`, TEMPORAL_PORT] as [string, number]] : []),
];

/** Addresses of the platform's Postgres and Temporal. */
export const serviceAddresses = async (services: Services): Promise<Destination[]> =>
  (await Promise.all(urlsOf(services).map(([url, port]) => addressesOf(url, port)))).flat();

/** Their ports. */
export const servicePorts = (services: Services): number[] =>
  urlsOf(services).map(([url, port]) => Number(new URL(url).port) || port);

/** Resolves a URL to its current addresses; empty if the name is unknown. */
export async function addressesOf(
  url: string,
  defaultPort = url.startsWith('https:') ? HTTPS_PORT : HTTP_PORT,
): Promise<Destination[]> {
  if (!URL.canParse(url)) return [];
  const { hostname, port } = new URL(url);
  const host = decodeURIComponent(hostname).replace(/^\[(.*)\]$/, '$1');
  if (!host) return [];
  const found = await lookup(host, { all: true }).catch(() => []);
  return found.map(({ address }) => destination(address, Number(port) || defaultPort));
}
