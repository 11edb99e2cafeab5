import { isUuid } from '../../platform/ids.ts';

/** The target of a request to the gateway. */
export interface GatewayAddress {
  of: 'deployment' | 'revision';
  id: string;
  /** Path and query as the agent receives them. */
  path: string;
  /** Prefix removed from the path; empty for host-based addresses. */
  prefix: string;
}

const BY_PATH = /^(\/([dr])\/([0-9a-fA-F-]{36}))(?=[/?]|$)/;
const BY_HOST = /^(r-)?([0-9a-f-]{36})\.(.+?)(?::\d+)?$/;

/**
 * `/d/<deployment id>/…` and `/r/<revision id>/…`, or `<deployment id>.domain` and `r-<revision id>.domain`. Names
 * don't work, because two tenants may share one. Undefined for everything else.
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
