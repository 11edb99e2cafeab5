import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

/** The port, or any for 0, where it can be listened on just now; rejects as listening would. */
export const freePort = (host: string, port = 0): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, host, () => {
      const { port: free } = server.address() as AddressInfo;
      server.close(() => resolve(free));
    });
  });
