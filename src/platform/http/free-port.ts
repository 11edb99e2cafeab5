import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

/** Resolves with the port, or with any free port for 0. Rejects if it is taken. */
export const freePort = (host: string, port = 0): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, host, () => {
      const { port: free } = server.address() as AddressInfo;
      server.close(() => resolve(free));
    });
  });
