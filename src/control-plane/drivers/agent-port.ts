import { choosePort, LOOPBACK } from '../../platform/embedded/ports.ts';

// Below the range that systems use for outgoing connections.
const FIRST_PORT = 20_000;
const PORTS = 10_000;

/** A free port of this machine; if possible, the previous one. */
export const agentPort = (before?: number | null): Promise<number> =>
  choosePort('an agent', before ?? FIRST_PORT + Math.floor(Math.random() * PORTS));

export const loopbackUrl = (port: number): string => `http://${LOOPBACK}:${port}`;
