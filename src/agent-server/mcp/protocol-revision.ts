import type { Context } from 'koa';
import { INVALID_PARAMS, JsonRpcError } from '../../platform/http/json-rpc.ts';
import type { JsonObject } from '../../platform/schema.ts';
import { isObject } from '../../platform/json-object.ts';

/** Revisions that begin with a handshake, oldest first. */
export const HANDSHAKE_REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
/** The revision whose requests say by themselves what they need. */
export const STATELESS_REVISION = '2026-07-28';

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const HEADER_MISMATCH = -32_020;
const UNSUPPORTED_VERSION = -32_022;

/** A failure that HTTP tells as well. */
export class RefusedRequest extends JsonRpcError {
  readonly status: number;
  constructor(status: number, code: number, message: string, data?: unknown) {
    super(code, message, data);
    this.status = status;
  }
}

/**
 * Whether a request is of the stateless revision; then its metadata and the headers that repeat it have been checked.
 * Throws RefusedRequest.
 */
export function isStateless(ctx: Context, method: string | undefined, params: JsonObject): boolean {
  const header = ctx.get('mcp-protocol-version');
  const meta = (params['_meta'] ?? {}) as JsonObject;
  const version = meta[VERSION];
  if (version === undefined && header !== STATELESS_REVISION && method !== 'server/discover') {
    if (header && !HANDSHAKE_REVISIONS.includes(header)) throw unsupportedVersion(header, ALL);
    return false;
  }
  if (typeof version !== 'string') throw invalid(`params._meta["${VERSION}"] must be a string`);
  requireHeader(ctx, 'MCP-Protocol-Version', version);
  if (version !== STATELESS_REVISION) throw unsupportedVersion(version, [STATELESS_REVISION]);
  if (!isObject(meta[CAPABILITIES])) throw invalid(`params._meta["${CAPABILITIES}"] must be an object`);
  if (method !== undefined) requireHeader(ctx, 'Mcp-Method', method);
  const { name } = params;
  if (method === 'tools/call' && typeof name === 'string') requireHeader(ctx, 'Mcp-Name', name, decoded);
  return true;
}

/** What proxies go by must be what the server does. */
function requireHeader(ctx: Context, name: string, wanted: string, read = (value: string) => value): void {
  const value = ctx.get(name);
  if (read(value) === wanted) return;
  const found = value === '' ? 'is missing' : `is '${value}'`;
  throw new RefusedRequest(
    400,
    HEADER_MISMATCH,
    `Header mismatch: ${name} ${found}, the body says '${wanted}'`,
  );
}

/** A name that is no plain ASCII text comes as base64. */
function decoded(value: string): string {
  const encoded = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/.exec(value)?.[1];
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString();
}

const ALL = [STATELESS_REVISION, ...HANDSHAKE_REVISIONS.toReversed()];

const unsupportedVersion = (requested: string, supported: string[]) =>
  new RefusedRequest(400, UNSUPPORTED_VERSION, 'Unsupported protocol version', { supported, requested });

const invalid = (detail: string) => new RefusedRequest(400, INVALID_PARAMS, detail);
