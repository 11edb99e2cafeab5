import { createHash } from 'node:crypto';

export const digestOf = (bytes: Buffer | string): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

export const OCI_MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
export const OCI_INDEX = 'application/vnd.oci.image.index.v1+json';
export const DOCKER_MANIFEST = 'application/vnd.docker.distribution.manifest.v2+json';

export interface RegistryAnswer {
  status: number;
  headers: Headers;
  body: Buffer;
  /** Its error codes. */
  codes: string[] | undefined;
}

/** Speaks the distribution specification to one repository, step by step as clients do. */
export class RegistryClient {
  readonly #url: string;
  readonly #repository: string;
  readonly #token: string;

  constructor(url: string, repository: string, token: string) {
    this.#url = url;
    this.#repository = repository;
    this.#token = token;
  }

  /** Paths are relative to the repository unless absolute, like those in `location`. */
  async send(
    method: string,
    path: string,
    body?: Buffer | string,
    headers: Record<string, string> = {},
  ): Promise<RegistryAnswer> {
    const response = await fetch(
      this.#url + (path.startsWith('/') ? path : `/v2/${this.#repository}/${path}`),
      {
        method,
        headers: {
          ...(this.#token && { authorization: `Basic ${btoa(`anybody:${this.#token}`)}` }),
          ...headers,
        },
        ...(body !== undefined && { body }),
      },
    );
    const bytes = Buffer.from(await response.arrayBuffer());
    const isRefusal = response.status >= 400 && bytes.length > 0;
    const { errors } = isRefusal
      ? (JSON.parse(bytes.toString()) as { errors: { code: string }[] })
      : { errors: undefined };
    return {
      status: response.status,
      headers: response.headers,
      body: bytes,
      codes: errors?.map(({ code }) => code),
    };
  }

  /** In chunks: POST, a PATCH for each, PUT. */
  async pushBlob(...chunks: (Buffer | string)[]): Promise<string> {
    const digest = digestOf(Buffer.concat(chunks.map((chunk) => Buffer.from(chunk))));
    const begun = await this.send('POST', 'blobs/uploads/');
    let location = begun.headers.get('location')!;
    for (const chunk of chunks)
      location = (await this.send('PATCH', location, chunk)).headers.get('location')!;
    const { status, body } = await this.send('PUT', `${location}?digest=${digest}`);
    if (status !== 201) throw new Error(`${status} ${body.toString()}`);
    return digest;
  }

  /** An image of one layer, at a tag. */
  async pushImage(tag: string, layer: string, mediaType = OCI_MANIFEST): Promise<string> {
    const manifest = {
      schemaVersion: 2,
      mediaType,
      config: {
        mediaType: 'application/vnd.oci.image.config.v1+json',
        digest: await this.pushBlob('{}'),
        size: 2,
      },
      layers: [
        {
          mediaType: 'application/vnd.oci.image.layer.v1.tar',
          digest: await this.pushBlob(layer),
          size: layer.length,
        },
      ],
    };
    const { status, headers, body } = await this.pushManifest(tag, manifest, mediaType);
    if (status !== 201) throw new Error(`${status} ${body.toString()}`);
    return headers.get('docker-content-digest')!;
  }

  pushManifest(reference: string, manifest: object, mediaType = OCI_MANIFEST): Promise<RegistryAnswer> {
    return this.send('PUT', `manifests/${reference}`, JSON.stringify(manifest), {
      'content-type': mediaType,
    });
  }
}
