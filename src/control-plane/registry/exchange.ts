import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BlobUploads } from './blob-upload.ts';
import type { ImageFolders } from './image-folders.ts';
import type { Repository } from './registry-address.ts';

/** A request to a repository whose sender may do what it asks for, and its answer. */
export interface RegistryExchange {
  request: IncomingMessage;
  response: ServerResponse;
  query: URLSearchParams;
  repository: Repository;
  folders: ImageFolders;
  uploads: BlobUploads;
  /** Digest, tag or id of an upload: what the path ends with. */
  reference: string;
}

/** Answers without a body, or with this as JSON. */
export function answer(
  response: ServerResponse,
  status: number,
  headers: Record<string, string> = {},
  body?: object,
): void {
  const text = body ? JSON.stringify(body) : '';
  response.writeHead(status, {
    ...headers,
    ...(body && { 'content-type': 'application/json' }),
    ...(status !== 204 && { 'content-length': String(Buffer.byteLength(text)) }),
  });
  response.end(text);
}
