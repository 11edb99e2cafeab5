import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BlobUploads } from './blob-upload.ts';
import type { ImageFolders } from './image-folders.ts';
import type { Repository } from './registry-address.ts';

/** An authorised request to a repository, and its response. */
export interface RegistryExchange {
  request: IncomingMessage;
  response: ServerResponse;
  query: URLSearchParams;
  repository: Repository;
  folders: ImageFolders;
  uploads: BlobUploads;
  /** Last part of the path: digest, tag or upload id. */
  reference: string;
}

/** Responds without a body, or with JSON. */
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
