import type { ProjectConfig } from '../../graph-protocol/project-schema.ts';
import { literalAddress, refusedAddress } from '../../platform/network-address.ts';
import type { PrivateAddresses } from '../../platform/private-addresses.ts';
import { type Resolve, WebhookRefused } from './webhook-addresses.ts';

/**
 * The project's `webhooks.url` rules (contract §12), and the private addresses that the server allows (default: all).
 */
export interface WebhookUrlRules extends NonNullable<NonNullable<ProjectConfig['webhooks']>['url']> {
  private_addresses?: PrivateAddresses;
}

export type WebhookTarget = { kind: 'internal'; path: string } | { kind: 'external'; url: URL };

/** Parses a webhook's target without resolving it. Throws WebhookRefused with the rule it breaks. */
export function webhookTarget(text: string, rules: WebhookUrlRules): WebhookTarget {
  if (rules.max_url_length !== undefined && text.length > rules.max_url_length)
    throw new WebhookRefused(`is longer than ${rules.max_url_length} characters`);
  // `//host` and `/\host` name another host.
  if (/^\/(?![/\\])/.test(text)) {
    if (rules.disable_loopback) throw new WebhookRefused('must not be a relative URL');
    return { kind: 'internal', path: text };
  }
  if (!URL.canParse(text)) throw new WebhookRefused('is not a URL');
  const url = new URL(text);
  checkUrl(url, rules);
  return { kind: 'external', url };
}

function checkUrl(url: URL, rules: WebhookUrlRules): void {
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new WebhookRefused('must be an http or https URL');
  if (!isDecodable(url.username + url.password)) throw new WebhookRefused('is not a URL');
  if (rules.require_https && url.protocol !== 'https:') throw new WebhookRefused('must be an https URL');
  const host = url.hostname.replace(/\.$/, '');
  const { allowed_domains, allowed_ports } = rules;
  if (allowed_domains && !allowed_domains.some((domain) => matchesDomain(host, domain.toLowerCase())))
    throw new WebhookRefused('leads to a domain that is not allowed');
  // A URL without a port uses its scheme's default.
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  if (allowed_ports && !allowed_ports.includes(port))
    throw new WebhookRefused('leads to a port that is not allowed');
  const address = literalAddress(url.hostname);
  if (address) refuseAddresses(url.hostname, [address], rules);
}

/** Throws WebhookRefused if any of a host's addresses is forbidden. */
export function refuseAddresses(host: string, addresses: string[], rules: WebhookUrlRules): void {
  const { disable_private_ips = false, private_addresses } = rules;
  for (const address of addresses) {
    const isOpen = !disable_private_ips && (private_addresses?.(host, address) ?? true);
    const why = refusedAddress(address, { disable_private_ips: !isOpen });
    if (why) throw new WebhookRefused(why);
  }
}

function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== undefined;
  } catch {
    return false;
  }
}

/** `*.d` matches the subdomains of `d`, but not `d` itself. */
const matchesDomain = (host: string, domain: string): boolean =>
  domain.startsWith('*.') ? host.endsWith(domain.slice(1)) : host === domain;

/**
 * Rejects a name that currently resolves to private addresses, so that the caller gets an error early. An unknown
 * name passes: the check that counts happens when the webhook is sent.
 */
export async function refusePrivateName(
  { hostname }: URL,
  rules: WebhookUrlRules,
  resolve: Resolve,
): Promise<void> {
  if (!(rules.disable_private_ips || rules.private_addresses) || literalAddress(hostname)) return;
  const found = await resolve(hostname).catch(() => []);
  const addresses = found.map(({ address }) => address);
  refuseAddresses(hostname, addresses, rules);
}
