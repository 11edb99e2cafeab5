import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify, type JWTVerifyGetKey } from 'jose';
import { Unavailable } from '../../platform/errors.ts';
import { isUuid } from '../../platform/ids.ts';
import type { ControlPlaneSettings } from '../control-plane-settings.ts';
import { mergeGrants } from './grant.ts';
import { type Grant, ROLES } from '../principal.ts';
import { readGroups } from './oidc-groups.ts';

/** Claims about a token's holder. */
export interface TokenHolder {
  name: string;
  /** Every tenant the token grants. */
  grants: Grant[];
}

// Asymmetric algorithms only: with a shared secret, the public key could sign.
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
const LEEWAY_SECONDS = 30;
const DISCOVERY_TIMEOUT_MS = 5_000;

/** Verifies bearer tokens of the configured issuer. */
export class BearerTokens {
  readonly #config: ControlPlaneSettings;
  readonly #groups: Map<string, Grant>;
  #keys: Promise<JWTVerifyGetKey> | undefined;

  constructor(config: ControlPlaneSettings) {
    this.#config = config;
    this.#groups = readGroups(config.SLIPWAY_OIDC_GROUPS);
  }

  /** Undefined for an invalid token. Throws Unavailable when the issuer's keys can't be fetched. */
  async verify(token: string): Promise<TokenHolder | undefined> {
    const { SLIPWAY_OIDC_ISSUER: issuer, SLIPWAY_OIDC_AUDIENCE: audience } = this.#config;
    if (!issuer) return undefined;
    try {
      const { payload } = await jwtVerify(token, await this.#loadKeys(issuer), {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        clockTolerance: LEEWAY_SECONDS,
        requiredClaims: ['exp', 'sub'],
      });
      return tokenHolder(payload, this.#config, this.#groups);
    } catch (error) {
      if (error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout)) return undefined;
      const failure = new Unavailable('The keys of the identity provider cannot be had; try again');
      failure.cause = error;
      throw failure;
    }
  }

  #loadKeys(issuer: string): Promise<JWTVerifyGetKey> {
    this.#keys ??= this.#findKeys(issuer).catch((error: unknown) => {
      this.#keys = undefined;
      throw error;
    });
    return this.#keys;
  }

  async #findKeys(issuer: string): Promise<JWTVerifyGetKey> {
    const { SLIPWAY_OIDC_JWKS_URL: url } = this.#config;
    if (url) return createRemoteJWKSet(new URL(url));
    const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const answer = await fetch(address, { signal: AbortSignal.timeout(DISCOVERY_TIMEOUT_MS) });
    const { jwks_uri } = (await answer.json()) as { jwks_uri: string };
    return createRemoteJWKSet(new URL(jwks_uri));
  }
}

/** Reads the holder from the claims of a token or a sign-in. */
export function tokenHolder(
  payload: JWTPayload,
  config: ControlPlaneSettings,
  groups: Map<string, Grant>,
): TokenHolder {
  const roles = texts(payload[config.SLIPWAY_OIDC_ROLE_CLAIM]);
  const role = ROLES.findLast((known) => roles.includes(known)) ?? 'viewer';
  return {
    name: typeof payload['email'] === 'string' ? payload['email'] : payload.sub!,
    grants: mergeGrants([
      ...texts(payload[config.SLIPWAY_OIDC_TENANT_CLAIM])
        .filter(isUuid)
        .map((tenant_id) => ({ tenant_id, role })),
      ...texts(payload[config.SLIPWAY_OIDC_GROUP_CLAIM]).flatMap((group) => groups.get(group) ?? []),
    ]),
  };
}

const texts = (claim: unknown): string[] =>
  [claim].flat().filter((item): item is string => typeof item === 'string');
