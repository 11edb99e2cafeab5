import * as oidc from 'openid-client';
import { Unavailable } from '../../platform/errors.ts';
import type { ControlPlaneSettings } from '../control-plane-settings.ts';
import { type TokenHolder, tokenHolder } from './bearer-token.ts';
import { readGroups } from './oidc-groups.ts';

/** State that must match when the identity provider redirects back. */
export interface SignInAttempt {
  state: string;
  nonce: string;
  verifier: string;
  /** Where to continue after sign-in, a path of ours. */
  return_to: string;
}

export const CALLBACK = '/v2/sign-in/oidc/callback';
const TIMEOUT_SECONDS = 10;

/** Signs people in at the configured issuer: authorization code flow with PKCE. */
export class OidcSignIn {
  readonly #config: ControlPlaneSettings;
  #found: Promise<oidc.Configuration> | undefined;

  constructor(config: ControlPlaneSettings) {
    this.#config = config;
  }

  get isConfigured(): boolean {
    return Boolean(this.#config.SLIPWAY_OIDC_ISSUER && this.#config.SLIPWAY_OIDC_CLIENT_ID);
  }

  /** Returns the address to redirect to, and the state to keep until the callback. Throws Unavailable. */
  async begin(returnTo: string): Promise<{ address: string; attempt: SignInAttempt }> {
    const provider = await this.#discover();
    const attempt = {
      state: oidc.randomState(),
      nonce: oidc.randomNonce(),
      verifier: oidc.randomPKCECodeVerifier(),
      return_to: returnTo,
    };
    const address = oidc.buildAuthorizationUrl(provider, {
      redirect_uri: this.#config.SLIPWAY_PUBLIC_URL + CALLBACK,
      scope: this.#config.SLIPWAY_OIDC_SCOPE,
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(attempt.verifier),
      code_challenge_method: 'S256',
    });
    return { address: address.href, attempt };
  }

  /** Completes the sign-in from the callback's query. Rejects if the issuer doesn't confirm it. */
  async complete(search: string, attempt: SignInAttempt): Promise<TokenHolder> {
    const provider = await this.#discover();
    const tokens = await oidc.authorizationCodeGrant(
      provider,
      new URL(this.#config.SLIPWAY_PUBLIC_URL + CALLBACK + search),
      {
        expectedState: attempt.state,
        expectedNonce: attempt.nonce,
        pkceCodeVerifier: attempt.verifier,
        idTokenExpected: true,
      },
    );
    const claims = tokens.claims()!;
    // Many issuers return groups and email addresses only here.
    const more = provider.serverMetadata().userinfo_endpoint
      ? await oidc.fetchUserInfo(provider, tokens.access_token, claims.sub)
      : {};
    return tokenHolder({ ...more, ...claims }, this.#config, readGroups(this.#config.SLIPWAY_OIDC_GROUPS));
  }

  #discover(): Promise<oidc.Configuration> {
    this.#found ??= this.#ask().catch((error: unknown) => {
      this.#found = undefined;
      const failure = new Unavailable('The identity provider cannot be reached; try again');
      failure.cause = error;
      throw failure;
    });
    return this.#found;
  }

  #ask(): Promise<oidc.Configuration> {
    const {
      SLIPWAY_OIDC_ISSUER: issuer,
      SLIPWAY_OIDC_CLIENT_ID: id,
      SLIPWAY_OIDC_CLIENT_SECRET: secret,
    } = this.#config;
    return oidc.discovery(new URL(issuer!), id!, secret, secret ? undefined : oidc.None(), {
      timeout: TIMEOUT_SECONDS,
      ...(issuer!.startsWith('http:') && { execute: [oidc.allowInsecureRequests] }),
    });
  }
}
