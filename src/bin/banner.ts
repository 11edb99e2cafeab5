import { isLoopback } from '../platform/network-address.ts';

/** Prints what people need after a start, on standard output: never through the log, which may be stored. */
export function printBanner(title: string, lines: [name: string, value: string][]): void {
  const width = Math.max(...lines.map(([name]) => name.length)) + 3;
  console.log(
    `\n  ${title}\n\n${lines.map(([name, value]) => `  ${name.padEnd(width)}${value}`).join('\n')}\n`,
  );
}

/** The address of a server on this machine, in the one spelling that people see: browsers keep cookies per name. */
export function localUrl(address: string): string {
  const url = new URL(address);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (isLoopback(host) || host === '0.0.0.0' || host === '::') url.hostname = 'localhost';
  return url.origin;
}

/** How this command was called, for the next one. */
export const commandName = (): string =>
  process.env['npm_command'] === 'exec' ? 'npx @slipway-dev/slipway' : 'slipway';
