import type { Context } from 'koa';
import { INVALID_PARAMS, JsonRpcError } from '../../platform/http/json-rpc.ts';
import type { JsonObject } from '../../platform/schema.ts';
import { isObject } from '../../platform/json-object.ts';

/** Revisions that start with a handshake, oldest first. */
export const HANDSHAKE_REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
/** The revision with self-contained requests. */
export const STATELESS_REVISION = '2026-07-28';

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const HEADER_MISMATCH = -32_020;
const UNSUPPORTED_VERSION = -32_022;

/** An error that also sets the HTTP status. */
export class RefusedRequest extends JsonRpcError {
  readonly status: number;
  constructor(status: number, code: number, message: string, data?: unknown) {
    super(code, message, data);
    this.status = status;
  }
}

/**
 * Whether a request uses the stateless revision; if so, also validates its metadata and the headers that repeat it.
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

/** Proxies route by these headers, so they must match the body. */
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

/** Decodes a name; anything but plain ASCII is sent as base64. */
function decoded(value: string): string {
  const encoded = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/.exec(value)?.[1];
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString();
}

const ALL = [STATELESS_REVISION, ...HANDSHAKE_REVISIONS.toReversed()];

const unsupportedVersion = (requested: string, supported: string[]) =>
  new RefusedRequest(400, UNSUPPORTED_VERSION, 'Unsupported protocol version', { supported, requested });

const invalid = (detail: string) => new RefusedRequest(400, INVALID_PARAMS, detail);
