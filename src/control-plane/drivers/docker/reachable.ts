import { isLoopback, literalAddress } from '../../../platform/network-address.ts';
import { StartFailed } from '../../errors.ts';

/** Throws StartFailed for a loopback address: a container in a network of its own would find itself there. */
export function refuseLoopback(databaseUrl: string, temporalAddress: string): void {
  const hosts = { DATABASE_URL: new URL(databaseUrl).hostname, TEMPORAL_ADDRESS: hostOf(temporalAddress) };
  for (const [name, host] of Object.entries(hosts)) {
    if (isLoopback(literalAddress(host) ?? host))
      throw new StartFailed(
        `${name} of the platform is an address of its own machine, which containers do not reach: name another, or set SLIPWAY_DOCKER_NETWORK=host`,
      );
  }
}

const hostOf = (address: string): string => address.replace(/:\d+$/, '');
