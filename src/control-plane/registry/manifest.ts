import { DIGEST } from './registry-address.ts';
import { RegistryError } from './registry-error.ts';

const OCI = 'application/vnd.oci.image';
const DOCKER = 'application/vnd.docker.distribution';
const INDEXES = [`${OCI}.index.v1+json`, `${DOCKER}.manifest.list.v2+json`];
const IMAGES = [`${OCI}.manifest.v1+json`, `${DOCKER}.manifest.v2+json`];

/** What a manifest is of. */
export interface Manifest {
  mediaType: string;
  /** Digests of its configuration and of its layers. */
  blobs: string[];
  /** Digests of the manifests an index chooses from. */
  manifests: string[];
}

interface Descriptor {
  digest?: unknown;
  urls?: unknown;
}

/**
 * Reads an image manifest or an index, OCI or Docker. `contentType` is that of the request which brought it; one that is
 * stored says itself what it is, or shows it. Throws RegistryError.
 */
export function readManifest(bytes: Buffer, contentType?: string): Manifest {
  const { mediaType, schemaVersion, config, layers, manifests } = parse(bytes);
  if (schemaVersion !== 2) throw invalid('schemaVersion must be 2');
  const isIndex = Array.isArray(manifests);
  // Docker's always say what they are.
  const type = typeof mediaType === 'string' ? mediaType : (isIndex ? INDEXES : IMAGES)[0]!;
  if (contentType !== undefined && type !== contentType)
    throw invalid(`It is ${type}, and was sent as ${contentType}`);
  if (INDEXES.includes(type) && isIndex) return { mediaType: type, blobs: [], manifests: digests(manifests) };
  if (IMAGES.includes(type) && !isIndex && Array.isArray(layers)) {
    // Layers with addresses are somebody else's, and are fetched from there.
    const own = layers.filter((layer: Descriptor | null) => !layer?.urls);
    return { mediaType: type, blobs: digests([config, ...own]), manifests: [] };
  }
  throw invalid(`It is no image and no index of a known media type: ${type}`);
}

function parse(bytes: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Told below.
  }
  throw invalid('It is no JSON object');
}

const digests = (descriptors: unknown[]): string[] => [
  ...new Set(
    descriptors.map((descriptor) => {
      const digest = (descriptor as Descriptor | null | undefined)?.digest;
      if (typeof digest !== 'string' || !DIGEST.test(digest))
        throw invalid('A descriptor has no sha256 digest');
      return digest;
    }),
  ),
];

const invalid = (why: string) => new RegistryError('MANIFEST_INVALID', why);
