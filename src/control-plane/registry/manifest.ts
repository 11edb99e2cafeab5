import { DIGEST } from './registry-address.ts';
import { RegistryError } from './registry-error.ts';

const OCI = 'application/vnd.oci.image';
const DOCKER = 'application/vnd.docker.distribution';
const INDEXES = [`${OCI}.index.v1+json`, `${DOCKER}.manifest.list.v2+json`];
const IMAGES = [`${OCI}.manifest.v1+json`, `${DOCKER}.manifest.v2+json`];

/** A parsed manifest. */
export interface Manifest {
  mediaType: string;
  /** Digests of its configuration and layers. */
  blobs: string[];
  /** Digests of the manifests in an index. */
  manifests: string[];
}

interface Descriptor {
  digest?: unknown;
  urls?: unknown;
}

/**
 * Parses an OCI or Docker image manifest or index. `contentType` is the request's; a stored one carries its own type.
 * Throws RegistryError.
 */
export function readManifest(bytes: Buffer, contentType?: string): Manifest {
  const { mediaType, schemaVersion, config, layers, manifests } = parse(bytes);
  if (schemaVersion !== 2) throw invalid('schemaVersion must be 2');
  const isIndex = Array.isArray(manifests);
  // Docker manifests always state their type.
  const type = typeof mediaType === 'string' ? mediaType : (isIndex ? INDEXES : IMAGES)[0]!;
  if (contentType !== undefined && type !== contentType)
    throw invalid(`It is ${type}, and was sent as ${contentType}`);
  if (INDEXES.includes(type) && isIndex) return { mediaType: type, blobs: [], manifests: digests(manifests) };
  if (IMAGES.includes(type) && !isIndex && Array.isArray(layers)) {
    // Foreign layers have URLs and aren't stored here.
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
    // Handled below.
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
