import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify, type JWTVerifyGetKey } from 'jose';
import { Unavailable } from '../../platform/errors.ts';
import { isUuid } from '../../platform/ids.ts';
import type { ControlPlaneSettings } from '../control-plane-settings.ts';
import { type Role, ROLES } from './principal.ts';

/** What a bearer token says of its holder. */
export interface TokenHolder {
  name: string;
  /** Every tenant it may ask for. */
  tenant_ids: string[];
  role: Role;
}

// Only what needs the issuer's private key: a shared secret could be the public one.
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
const LEEWAY_SECONDS = 30;
const DISCOVERY_TIMEOUT_MS = 5_000;

/** Checks bearer tokens of the one issuer the settings name. */
export class BearerTokens {
  readonly #config: ControlPlaneSettings;
  #keys: Promise<JWTVerifyGetKey> | undefined;

  constructor(config: ControlPlaneSettings) {
    this.#config = config;
  }

  /** Undefined for a token that is not to be believed. Throws Unavailable when the issuer's keys cannot be had. */
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
      return this.#holder(payload);
    } catch (error) {
      if (error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout)) return undefined;
      const failure = new Unavailable('The keys of the identity provider cannot be had; try again');
      failure.cause = error;
      throw failure;
    }
  }

  #holder(payload: JWTPayload): TokenHolder {
    const { SLIPWAY_OIDC_TENANT_CLAIM: tenant, SLIPWAY_OIDC_ROLE_CLAIM: role } = this.#config;
    const roles = texts(payload[role]);
    return {
      name: typeof payload['email'] === 'string' ? payload['email'] : payload.sub!,
      tenant_ids: texts(payload[tenant]).filter(isUuid),
      role: ROLES.findLast((known) => roles.includes(known)) ?? 'viewer',
    };
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

const texts = (claim: unknown): string[] =>
  [claim].flat().filter((item): item is string => typeof item === 'string');
