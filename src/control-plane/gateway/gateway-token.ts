import { randomBytes } from 'node:crypto';
import type { Queryable } from '../../platform/db/database.ts';
import { GATEWAY_TOKEN_HEADER } from '../../platform/http/gateway-only.ts';
import type { SealedBox } from '../secrets/sealed-box.ts';

const BYTES = 24;
const aboutToken = (revisionId: string): string => `gateway-token/${revisionId}`;

/**
 * The secret that a revision's instances require on every request (`SLIPWAY_GATEWAY_TOKEN`), because agents share
 * machines and must reach each other only through the gateway. Created on first use.
 */
export async function ensureGatewayToken(
  { db, box }: { db: Queryable; box: SealedBox },
  revisionId: string,
): Promise<string> {
  await db.query(
    'insert into control_plane.gateway_token (revision_id, token) values ($1, $2) on conflict do nothing',
    [revisionId, box.seal(randomBytes(BYTES).toString('hex'), aboutToken(revisionId))],
  );
  const { rows } = await db.query<{ token: Buffer }>(
    'select token from control_plane.gateway_token where revision_id = $1',
    [revisionId],
  );
  return openGatewayToken(box, revisionId, rows[0]!.token);
}

export const openGatewayToken = (box: SealedBox, revisionId: string, sealed: Buffer): string =>
  box.open(sealed, aboutToken(revisionId));

/** The header that carries the token; none for an instance without one. */
export const gatewayTokenHeader = (token: string | null): Record<string, string> =>
  token === null ? {} : { [GATEWAY_TOKEN_HEADER]: token };
