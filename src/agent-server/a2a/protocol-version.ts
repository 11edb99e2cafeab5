import type { Context } from 'koa';
import { versionNotSupported } from './a2a-errors.ts';

/** The supported protocol versions, as major.minor. */
export const PROTOCOL_VERSIONS = ['0.3', '1.0'] as const;
export type ProtocolVersion = (typeof PROTOCOL_VERSIONS)[number];

/**
 * The requested protocol version: `A2A-Version`, as a header or query parameter (A2A 1.0, service parameters);
 * ignores the patch number. Undefined if not given, in which case the method decides. Throws VersionNotSupported.
 */
export function askedVersion(ctx: Context): ProtocolVersion | undefined {
  const inQuery = ctx.query['A2A-Version'];
  const requested = (ctx.get('a2a-version') || String([inQuery].flat()[0] ?? '')).trim();
  if (!requested) return undefined;
  const [, version] = /^(\d{1,3}\.\d{1,3})(?:\.\d{1,3})?$/.exec(requested) ?? [];
  const known = PROTOCOL_VERSIONS.find((one) => one === version);
  if (!known) throw versionNotSupported();
  return known;
}
