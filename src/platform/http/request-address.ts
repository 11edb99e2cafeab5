import type { IncomingMessage } from 'node:http';
import { BadRequest, PublicError } from '../errors.ts';

class MethodNotAllowed extends PublicError {
  override readonly name = 'MethodNotAllowed';
  readonly status = 405;
  override readonly headers = { allow: 'GET,HEAD,POST,PUT,PATCH,DELETE,OPTIONS' };
  constructor() {
    super('Method Not Allowed');
  }
}

const TARGET = /^(?:https?:\/\/([^/?#]*))?((?:\/[^?#]*|\*)?)([^#]*)/i;
const AUTHORITY = /^[^\s/?#@\\]+$/;

/** Whether a `Host` header or URL authority is well-formed. */
export const isAuthority = (text: string): boolean => AUTHORITY.test(text) && URL.canParse(`http://${text}`);

// Parts that a URL parser would rewrite, so that its path would differ from the one our routes match.
const REWRITTEN = /[^!-\uffff]|\\|(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i;

/**
 * The absolute URL of a request with exactly the path that routes match. Throws BadRequest if host or path is
 * malformed, MethodNotAllowed for methods that `fetch` cannot represent.
 */
export function requestAddress({ method, url = '/', headers }: IncomingMessage): URL {
  if (method === 'TRACE') throw new MethodNotAllowed();
  const [, named, path = '', query = ''] = TARGET.exec(url) ?? [];
  const authority = (named ?? headers.host) || 'localhost';
  const base = `http://${authority}`;
  if (!isAuthority(authority)) throw new BadRequest(`Malformed host: ${authority}`);
  if (REWRITTEN.test(path) || (query && !query.startsWith('?')))
    throw new BadRequest(`Malformed path: ${url.slice(0, 200)}`);
  return new URL(base + (path === '*' ? '' : path) + query);
}
