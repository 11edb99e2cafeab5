import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Destination } from './destinations.ts';
import { addressesOf } from './service-addresses.ts';

const VARIABLES =
  /^((https?|all)_proxy|npm_config_.*(registry|proxy)|yarn_.*registry.*|(pip|uv)_.*(index|find_links|proxy).*)$/i;
const FILES = [
  '/etc/npmrc',
  '/usr/etc/npmrc',
  '/usr/local/etc/npmrc',
  '/etc/pip.conf',
  '/etc/uv/uv.toml',
  ...['.npmrc', '.pip/pip.conf', '.config/pip/pip.conf', '.config/uv/uv.toml'].map((name) =>
    join(homedir(), name),
  ),
];
const URLS = /\b([a-z0-9]+):\/\/[^\s"',\]]+/gi;
// A proxy may be configured without a scheme.
const HOST_AND_PORT = /^[\w.-]+:\d+$/;

/** Proxies and package registries that this machine's operator has configured for npm, yarn, pip and uv. */
export async function packageSources(
  env: NodeJS.ProcessEnv = process.env,
  files = FILES,
): Promise<Destination[]> {
  const values = Object.entries(env).flatMap(([name, value = '']) =>
    VARIABLES.test(name) ? [value.trim()] : [],
  );
  const contents = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  const urls = [
    ...values.map((value) => (HOST_AND_PORT.test(value) ? `http://${value}` : value)),
    ...contents,
  ];
  const found = new Set(urls.flatMap((text) => text.match(URLS) ?? []));
  const resolved = await Promise.all([...found].map((url) => addressesOf(url)));
  return resolved.flat();
}
