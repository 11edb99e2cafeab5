import { isUuid } from '../../platform/ids.ts';

/** What a request to the gateway is for. */
export interface GatewayAddress {
  of: 'deployment' | 'revision';
  id: string;
  /** Path and query as the agent gets them. */
  path: string;
  /** What was taken off the path; empty where the host said it. */
  prefix: string;
}

const BY_PATH = /^(\/([dr])\/([0-9a-fA-F-]{36}))(?=[/?]|$)/;
const BY_HOST = /^(r-)?([0-9a-f-]{36})\.(.+?)(?::\d+)?$/;

/**
 * `/d/<deployment id>/…` and `/r/<revision id>/…`; below the gateway's domain, `<deployment id>.domain` and
 * `r-<revision id>.domain`. Names lead nowhere: two tenants may have the same. Undefined for everything else.
 */
export function gatewayAddress(
  url: string,
  host: string | undefined,
  domain: string | undefined,
): GatewayAddress | undefined {
  const [, revision, named, parent] = (domain && host && BY_HOST.exec(host.toLowerCase())) || [];
  if (named && parent === domain && isUuid(named))
    return { of: revision ? 'revision' : 'deployment', id: named, path: url, prefix: '' };
  const [, prefix, letter, text] = BY_PATH.exec(url) ?? [];
  if (!prefix || !isUuid(text!)) return undefined;
  const rest = url.slice(prefix.length);
  const path = rest.startsWith('/') ? rest : `/${rest}`;
  return { of: letter === 'd' ? 'deployment' : 'revision', id: text!.toLowerCase(), path, prefix };
}
