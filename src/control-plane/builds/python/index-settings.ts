import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const PASSED_ON =
  /^(?:PIP_(?:INDEX_URL|EXTRA_INDEX_URL|NO_INDEX|FIND_LINKS|TRUSTED_HOST|CERT|CLIENT_CERT|DEFAULT_TIMEOUT|TIMEOUT)|UV_(?:INDEX_URL|EXTRA_INDEX_URL|DEFAULT_INDEX|INDEX|INDEX_STRATEGY|NO_INDEX|FIND_LINKS|INSECURE_HOST|NATIVE_TLS|SYSTEM_CERTS|OFFLINE|PYTHON_DOWNLOADS|PYTHON_INSTALL_MIRROR|PYTHON_DOWNLOADS_JSON_URL|HTTP_TIMEOUT|INDEX_\w+_(?:USERNAME|PASSWORD))|REQUESTS_CA_BUNDLE)$/;

/** Of pip's settings, what uv calls them. */
const IN_UV: [pip: string, uv: string, alias?: string][] = [
  ['PIP_INDEX_URL', 'UV_DEFAULT_INDEX', 'UV_INDEX_URL'],
  ['PIP_EXTRA_INDEX_URL', 'UV_INDEX', 'UV_EXTRA_INDEX_URL'],
  ['PIP_FIND_LINKS', 'UV_FIND_LINKS'],
  ['PIP_TRUSTED_HOST', 'UV_INSECURE_HOST'],
  ['PIP_CERT', 'SSL_CERT_FILE'],
];
const LISTS_WITH_COMMAS = new Set(['UV_FIND_LINKS']);

/**
 * Where packages of Python come from, as this machine is set: variables of pip and uv, and pip's files. uv gets
 * pip's settings, except where it has its own.
 */
export function indexSettings(env: NodeJS.ProcessEnv): Record<string, string> {
  const fromFiles = configFiles(env).map(readConfigFile);
  const given = Object.entries(env).filter(([name, value]) => PASSED_ON.test(name) && value);
  const settings = Object.assign({}, ...fromFiles, Object.fromEntries(given)) as Record<string, string>;
  withoutMissingFolders(settings);
  for (const [pip, uv, alias = uv] of IN_UV) {
    const value = settings[pip];
    if (value === undefined || env[uv] !== undefined || settings[alias] !== undefined) continue;
    settings[uv] = LISTS_WITH_COMMAS.has(uv) ? value.split(/\s+/).join(',') : value;
  }
  return settings;
}

/** In pip's order: later ones win. */
const configFiles = ({ PIP_CONFIG_FILE, HOME = homedir() }: NodeJS.ProcessEnv): string[] =>
  [
    '/etc/pip.conf',
    join(HOME, '.pip/pip.conf'),
    join(HOME, '.config/pip/pip.conf'),
    ...(PIP_CONFIG_FILE ? [PIP_CONFIG_FILE] : []),
  ].filter((file) => existsSync(file));

/** Settings of `[global]` and `[install]`, by the names of their variables. */
function readConfigFile(file: string): Record<string, string> {
  const found: Record<string, string> = {};
  let section = '';
  let name: string | undefined;
  for (const line of readFileSync(file, 'utf8').split(/\r?\n/)) {
    if (/^\s*(?:[#;]|$)/.test(line)) continue;
    section = /^\[(.*)\]/.exec(line)?.[1] ?? section;
    if (!['global', 'install'].includes(section)) continue;
    const [, key, value] = /^([\w-]+)\s*[=:]\s*(.*)$/.exec(line) ?? [];
    if (key !== undefined) name = `PIP_${key.toUpperCase().replaceAll('-', '_')}`;
    else if (!/^\s/.test(line)) continue;
    if (name && PASSED_ON.test(name))
      found[name] = `${key === undefined ? `${found[name] ?? ''} ` : ''}${value ?? line.trim()}`.trim();
  }
  return found;
}

/** pip passes over a folder of `find-links` that is not there; uv fails. */
function withoutMissingFolders(settings: Record<string, string>): void {
  const links = settings['PIP_FIND_LINKS'];
  if (links === undefined) return;
  const there = links.split(/\s+/).filter((link) => !link.startsWith('/') || existsSync(link));
  if (there.length > 0) settings['PIP_FIND_LINKS'] = there.join(' ');
  else delete settings['PIP_FIND_LINKS'];
}
