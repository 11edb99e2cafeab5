import { isIP } from 'node:net';

// Patterns must be linear on hostile text: bounded repeats, matches only at token starts.
const PLACE = new RegExp(
  [
    String.raw`(?<url>(?<![a-z0-9])(?:jdbc:)?[a-z][a-z0-9+.-]{0,20}:\/\/[^\s"<>]+)`,
    String.raw`(?<windows>(?<![a-z0-9])[a-z]:\\[^\s"'<>|]+)`,
    String.raw`(?<path>(?<![\w./\\@-])(?:\/[\w.@+~-]+){2,}\/?(?::\d+){0,2})`,
    String.raw`(?<ip6>(?<![\w:.])\[?(?:[\da-f]{0,4}:){2,9}[\da-f.]{0,20}(?:%\w{1,15})?\]?(?::\d{1,5})?(?!\w))`,
    String.raw`(?<ip4>(?<![\w.-]|version )(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5}|\/\d{1,2})?(?![\w-]|\.\d))`,
    String.raw`(?<name>(?<![\w.-])(?:\*?\.)?(?:[\w-]{1,63}\.){1,20}[a-z][\w-]{1,62}(?::(?<port>\d{1,5})(?![\d:]))?(?![\w-]|\.\w))`,
    String.raw`(?<label>(?<![\w.\/\\-])(?<host>[a-z][\w-]{0,62}):(?<labelPort>\d{2,5})(?![\w:-]|\.\w))`,
  ].join('|'),
  'gi',
);

const INTERNAL =
  /(?:^|\.)(?:svc|internal|corp|intranet)(?:\.|$)|(?:^|\.)(?:local|localhost|localdomain|cluster|lan|home|private)\.?$/i;
// Domains of managed databases.
const MANAGED =
  /\.(?:amazonaws\.com|windows\.net|(?:documents|database)\.azure\.com|mongodb\.net|snowflakecomputing\.com|supabase\.co|neon\.tech|upstash\.io|psdb\.cloud|cockroachlabs\.cloud|aivencloud\.com|db\.ondigitalocean\.com|elastic-cloud\.com|confluent\.cloud|redis-cloud\.com|redislabs\.com)$/i;
const FILE =
  /\.(?:[cm]?[jt]sx?|d|json[cl5]?|ya?ml|toml|mdx?|py|pyc|go|rs|java|kt|rb|php|c|cc|cpp|h|hpp|cs|swift|scala|vue|svelte|html?|s?css|less|sql|sh|bash|ps1|txt|csv|tsv|lock|log|ini|cfg|conf|env|xml|proto|graphql|wasm|node|map)$/i;
// Words followed by numbers that are not ports.
const COUNTED = new Set(
  'account at char character chapter code col column count customer day errno error eval exit file http https id index invoice item kb length line limit max mb message min ms node number offset order page pid pos position product ref request retry row rule run section seq size sku status step task thread ticket time timeout total user uid value version year'.split(
    ' ',
  ),
);
const WELL_KNOWN = new Set([22, 25, 53, 80, 88, 110, 143, 389, 443, 465, 587, 636, 873, 993, 995]);

const isPort = (digits: string): boolean => {
  const port = Number(digits);
  return WELL_KNOWN.has(port) || (port >= 1024 && port <= 65_535);
};

const isInternal = (host: string): boolean =>
  !host.includes('.') ||
  isIP(host) !== 0 ||
  host.startsWith('[') ||
  INTERNAL.test(host) ||
  MANAGED.test(host);

/** Keeps public web addresses; any other URL may be a connection string. */
function redactUrl(url: string): string {
  const bare = url.replace(/(?<!\[redacted)[)\]}.,;:!?'`*]+$/, '');
  return isPublic(bare) ? url : `[redacted url]${url.slice(bare.length)}`;
}

function isPublic(url: string): boolean {
  if (!/^(?:https?|wss?):/i.test(url)) return false;
  try {
    const { hostname, port, username, password } = new URL(url);
    if (username || password || port || isInternal(hostname)) return false;
    // Webhook URLs allow writing.
    return !/^hooks\.|\/webhooks?\//i.test(hostname + new URL(url).pathname);
  } catch {
    return false;
  }
}

function redactName(name: string, port: string | undefined): string {
  const host = port === undefined ? name : name.slice(0, -port.length - 1);
  if (INTERNAL.test(host) && !FILE.test(host)) return '[redacted host]';
  if (MANAGED.test(host)) return '[redacted host]';
  return port !== undefined && isPort(port) && !FILE.test(host) ? '[redacted host]' : name;
}

function isIp6(text: string): boolean {
  const bare = text.replaceAll(/^\[|\](?::\d+)?$/g, '').replace(/%\w+$/, '');
  return /\d/.test(bare) && (isIP(bare) === 6 || isIP(bare.replace(/:\d+$/, '')) === 6);
}

interface Found {
  url?: string;
  windows?: string;
  path?: string;
  ip6?: string;
  ip4?: string;
  name?: string;
  port?: string;
  label?: string;
  host?: string;
  labelPort?: string;
}

function redactPlace(whole: string, paths: boolean, found: Found): string {
  const { url, windows, path, ip6, ip4, name, port, host = '', labelPort = '' } = found;
  if (windows || path || /^file:/i.test(whole)) return paths ? '[redacted path]' : whole;
  if (url) return redactUrl(url);
  if (ip6) return isIp6(ip6) ? '[redacted host]' : whole;
  if (ip4) return isIP(ip4.replace(/[:/].*$/, '')) === 4 ? '[redacted host]' : whole;
  if (name) return redactName(name, port);
  return isPort(labelPort) && !COUNTED.has(host.toLowerCase()) ? '[redacted host]' : whole;
}

// Bare names after network error codes, which are otherwise indistinguishable from words.
const AFTER_CODE =
  /\b((?:getaddrinfo|query\w{1,12}|connect)\s+E[A-Z_]{3,20}|ENOTFOUND|EAI_AGAIN)(:?[ \t]+)(?!\[redacted)[^\s,;]+/g;
const AFTER_WORD = /\b((?:host(?: ?name)?|server at)\s+\\{0,7})"[^"\s]{1,255}"/gi;
const LOOKUP = /\b(lookup\s+)[^\s:]{1,255}(?=\s+on\s+[\d[]|:\s+(?:no such host|i\/o timeout))/gi;

/** Redacts internal hosts, addresses with ports, connection strings and paths. */
export function redactLocations(text: string, { paths }: { paths: boolean }): string {
  return text
    .replace(AFTER_CODE, '$1$2[redacted host]')
    .replace(AFTER_WORD, '$1[redacted host]')
    .replace(LOOKUP, '$1[redacted host]')
    .replace(PLACE, (whole: string, ...rest: unknown[]) => redactPlace(whole, paths, rest.at(-1) as Found));
}
