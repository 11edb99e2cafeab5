import { choosePort, LOOPBACK } from '../../platform/embedded/ports.ts';

// Below what systems hand out to outgoing connections.
const FIRST_PORT = 20_000;
const PORTS = 10_000;

/** A port of this machine nobody listens on: the one it had before, when it is free. */
export const agentPort = (before?: number | null): Promise<number> =>
  choosePort('an agent', before ?? FIRST_PORT + Math.floor(Math.random() * PORTS));

export const loopbackUrl = (port: number): string => `http://${LOOPBACK}:${port}`;
