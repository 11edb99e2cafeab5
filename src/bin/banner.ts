/** Prints what people need after a start, on standard output: never through the log, which may be stored. */
export function printBanner(title: string, lines: [name: string, value: string][]): void {
  const width = Math.max(...lines.map(([name]) => name.length)) + 3;
  console.log(
    `\n  ${title}\n\n${lines.map(([name, value]) => `  ${name.padEnd(width)}${value}`).join('\n')}\n`,
  );
}

const LOCAL = new Set(['127.0.0.1', '::1', '0.0.0.0', '::']);

/** The address of a server on this machine, in the one spelling that people see: browsers keep cookies per name. */
export function localUrl(address: string): string {
  const url = new URL(address);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (LOCAL.has(host)) url.hostname = 'localhost';
  return url.origin;
}

/** How this command was called, for the next one. */
export const commandName = (): string =>
  process.env['npm_command'] === 'exec' ? 'npx @slipway-dev/slipway' : 'slipway';
