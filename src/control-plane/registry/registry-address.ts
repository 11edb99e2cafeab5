import type { ControlPlaneSettings } from '../control-plane-settings.ts';

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const REPOSITORY = new RegExp(`^d/(${UUID})(?:/([a-z0-9]+(?:[._-]+[a-z0-9]+)*))?$`);
const LONGEST = 255;

/** A deployment's repository: its id, optionally followed by a name the client chose. */
export interface Repository {
  deployment_id: string;
  /** As written: `d/<deployment id>[/<name>]`. */
  name: string;
}

/** Undefined for a name no deployment can have. */
export function readRepository(name: string): Repository | undefined {
  const [, deployment_id] = (name.length <= LONGEST && REPOSITORY.exec(name)) || [];
  return deployment_id ? { deployment_id, name } : undefined;
}

/** Host and port in the names of images in the platform's own registry. */
export const registryHost = ({
  SLIPWAY_PUBLIC_URL,
}: Pick<ControlPlaneSettings, 'SLIPWAY_PUBLIC_URL'>): string => new URL(SLIPWAY_PUBLIC_URL).host;

export const DIGEST = /^sha256:[0-9a-f]{64}$/;
export const TAG = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;

/** The target of a registry request. */
export type Target =
  | { of: 'base' | 'catalog' }
  /** `reference` is a digest, tag or upload id; empty if the target has none. */
  | { of: 'blob' | 'uploads' | 'upload' | 'manifest' | 'tags'; name: string; reference: string };

const OURS = /^\/v2(?:\/?|\/_catalog|\/.+\/(?:blobs|manifests|referrers)\/.*|\/.+\/tags\/list)$/;
const PLACE = /^\/v2\/(.+)\/(blobs\/uploads|blobs|manifests|tags)(?:\/([^/]*))?$/;

/** Whether a path belongs to the registry, which shares `/v2/` with the API. */
export const isRegistryPath = (path: string): boolean => OURS.test(path);

/** Undefined for an unknown path. */
export function readTarget(path: string): Target | undefined {
  if (/^\/v2\/?$/.test(path)) return { of: 'base' };
  if (path === '/v2/_catalog') return { of: 'catalog' };
  const [, name, what, reference = ''] = PLACE.exec(path) ?? [];
  if (!name) return undefined;
  if (what === 'blobs/uploads') return { of: reference ? 'upload' : 'uploads', name, reference };
  if (what === 'blobs') return { of: 'blob', name, reference };
  if (what === 'manifests') return { of: 'manifest', name, reference };
  return { of: 'tags', name, reference };
}
