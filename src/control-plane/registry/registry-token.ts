import type { SealedBox } from '../secrets/sealed-box.ts';

const ABOUT = 'registry';
// Never starts like a command-line option.
const PREFIX = 'slr_';

/** Permissions of a registry token, limited to one deployment's images. */
export interface RegistryToken {
  deployment_id: string;
  /** Push includes pull. */
  can: 'push' | 'pull';
  /** Milliseconds since 1970; null for the deployment's lifetime. */
  expires_at: number | null;
}

export const issueRegistryToken = (box: SealedBox, token: RegistryToken): string =>
  PREFIX + box.seal(JSON.stringify(token), ABOUT).toString('base64url');

/** Undefined for a forged or expired token. */
export function readRegistryToken(box: SealedBox, text: string): RegistryToken | undefined {
  try {
    const token = JSON.parse(
      box.open(Buffer.from(text.slice(PREFIX.length), 'base64url'), ABOUT),
    ) as RegistryToken;
    return token.expires_at === null || Date.now() < token.expires_at ? token : undefined;
  } catch {
    return undefined;
  }
}

/** Reads the token from Basic authentication, with any user name: clients differ. */
export function tokenOf(box: SealedBox, authorization: string | undefined): RegistryToken | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(authorization ?? '')?.[1];
  if (!encoded) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  return readRegistryToken(box, text.slice(text.indexOf(':') + 1));
}
