import type { SealedBox } from '../secrets/sealed-box.ts';

const ABOUT = 'registry';
// No token begins like an option of a command line.
const PREFIX = 'slr_';

/** What the password of a request to the registry is good for: the images of one deployment, and nothing else. */
export interface RegistryToken {
  deployment_id: string;
  /** Who pushes may pull. */
  can: 'push' | 'pull';
  /** ms since 1970; null for one that is good as long as the deployment is there. */
  expires_at: number | null;
}

export const issueRegistryToken = (box: SealedBox, token: RegistryToken): string =>
  PREFIX + box.seal(JSON.stringify(token), ABOUT).toString('base64url');

/** Undefined for one that is not ours, or whose time is over. */
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

/** The token of an `authorization: Basic …` header, whatever the user name: clients of the field differ in it. */
export function tokenOf(box: SealedBox, authorization: string | undefined): RegistryToken | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(authorization ?? '')?.[1];
  if (!encoded) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  return readRegistryToken(box, text.slice(text.indexOf(':') + 1));
}
