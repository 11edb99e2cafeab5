import { readFileSync } from 'node:fs';

const LISTENING = '0A';

/** The TCP ports of this machine on which something listens. */
export function listeningPorts(): number[] {
  const lines = ['tcp', 'tcp6'].flatMap((table) => readFileSync(`/proc/net/${table}`, 'utf8').split('\n'));
  const ports = lines.flatMap((line) => {
    const [, port, state] = /^ *\d+: [0-9A-F]+:([0-9A-F]{4}) \S+ ([0-9A-F]{2}) /.exec(line) ?? [];
    return port && state === LISTENING ? [Number.parseInt(port, 16)] : [];
  });
  return [...new Set(ports)];
}
