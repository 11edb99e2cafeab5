import { connect } from 'node:net';

const TIMEOUT_MS = 3_000;

/** Tries TCP connections, and prints for each target what came of it: `connected`, `timeout` or the code of the error. */
export async function reach(targets: string): Promise<void> {
  const list = JSON.parse(targets) as [host: string, port: number][];
  console.log(JSON.stringify(await Promise.all(list.map(([host, port]) => outcome(host, port)))));
}

const outcome = (host: string, port: number): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout: TIMEOUT_MS });
    const end = (how: string) => {
      socket.destroy();
      resolve(how);
    };
    socket
      .once('connect', () => end('connected'))
      .once('timeout', () => end('timeout'))
      .once('error', ({ code }: NodeJS.ErrnoException) => end(code ?? 'error'));
  });
