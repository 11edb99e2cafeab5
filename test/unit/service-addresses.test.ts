import { expect, test } from '@jest/globals';
import { serviceAddresses, servicePorts } from '../../src/control-plane/fence/service-addresses.ts';

const SERVICES = { DATABASE_URL: 'postgresql://slipway@127.0.0.1/slipway', TEMPORAL_ADDRESS: '127.0.0.2' };

test('services without a port are refused at their default ports', async () => {
  expect(await serviceAddresses(SERVICES)).toEqual([
    { network: '127.0.0.1/32', port: 5432 },
    { network: '127.0.0.2/32', port: 7233 },
  ]);
  expect(servicePorts(SERVICES)).toEqual([5432, 7233]);
});

test('services with a port are refused there', async () => {
  const services = { DATABASE_URL: 'postgresql://[::1]:6543/x', TEMPORAL_ADDRESS: '[::1]:7234' };
  expect(await serviceAddresses(services)).toEqual([
    { network: '::1/128', port: 6543 },
    { network: '::1/128', port: 7234 },
  ]);
});
