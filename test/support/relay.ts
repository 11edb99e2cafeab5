import { createServer, connect, type AddressInfo, type Socket } from 'node:net';

export interface Relay {
  port: number;
  close(): Promise<void>;
}

/** Forwards connections from a port it chooses to the current `target` on this machine. */
export async function relay(
  host: string,
  target: () => { host: string; port: number } | undefined,
): Promise<Relay> {
  const open = new Set<Socket>();
  const server = createServer((incoming) => {
    const to = target();
    if (!to) return void incoming.destroy();
    const outgoing = connect(to);
    for (const [one, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      open.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => open.delete(one) && other.destroy());
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
