import type { ControlPlaneSettings } from '../control-plane-settings.ts';

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const REPOSITORY = new RegExp(`^d/(${UUID})(?:/([a-z0-9]+(?:[._-]+[a-z0-9]+)*))?$`);
const LONGEST = 255;

/** A repository: a deployment's images, under its id alone or with one more name that a client chose. */
export interface Repository {
  deployment_id: string;
  /** As it is written, `d/<deployment id>[/<name>]`. */
  name: string;
}

/** Undefined for a name that no deployment's images can have. */
export function readRepository(name: string): Repository | undefined {
  const [, deployment_id] = (name.length <= LONGEST && REPOSITORY.exec(name)) || [];
  return deployment_id ? { deployment_id, name } : undefined;
}

/** Host and port that images of the platform's own registry are named after. */
export const registryHost = ({
  SLIPWAY_PUBLIC_URL,
}: Pick<ControlPlaneSettings, 'SLIPWAY_PUBLIC_URL'>): string => new URL(SLIPWAY_PUBLIC_URL).host;

export const DIGEST = /^sha256:[0-9a-f]{64}$/;
export const TAG = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;

/** What a request to the registry is about. */
export type Target =
  | { of: 'base' | 'catalog' }
  /** `reference` is a digest, a tag or the id of an upload; empty for what has none. */
  | { of: 'blob' | 'uploads' | 'upload' | 'manifest' | 'tags'; name: string; reference: string };

const OURS = /^\/v2(?:\/?|\/_catalog|\/.+\/(?:blobs|manifests|referrers)\/.*|\/.+\/tags\/list)$/;
const PLACE = /^\/v2\/(.+)\/(blobs\/uploads|blobs|manifests|tags)(?:\/([^/]*))?$/;

/** Whether a path is the registry's: it shares `/v2/` with the API, whose resources have none of these words. */
export const isRegistryPath = (path: string): boolean => OURS.test(path);

/** Undefined for a path that leads to nothing. */
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
