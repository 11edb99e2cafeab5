import { createHash } from 'node:crypto';
import type { JsonObject } from '../../platform/schema.ts';
import { given, textOf } from './json-shape.ts';
import type { MediaItem, Message } from './message.ts';

// Larger media can be replaced by their hash (contract §2.2).
const MAX_SHOWN_LENGTH = 32 * 1024;
const DATA_URI = /^data:([^;,]*)(?:;[^;,]*)*;base64,/i;
const URL_LIKE = /^[a-z][a-z0-9+.-]*:/i;

export interface MediaFields {
  /** A URL; base64 `data:` URLs are split. */
  url?: unknown;
  base64?: unknown;
  id?: unknown;
  mime_type?: unknown;
}

export const mediaItem = (
  type: MediaItem['type'],
  { url, base64, id, mime_type }: MediaFields,
  extras?: JsonObject,
): MediaItem => {
  const address = textOf(url);
  // Matches only the head of long data URIs.
  const head = address && DATA_URI.exec(address.slice(0, 200));
  const content = textOf(base64) ?? (head ? address.slice(head[0].length) : undefined);
  return {
    type,
    ...given('url', head ? undefined : address),
    ...given('base64', content),
    ...given('id', textOf(id)),
    ...given('mime_type', textOf(mime_type) ?? (head?.[1] || undefined)),
    ...given('extras', extras),
  };
};

/** The media kind of a MIME type such as `audio/wav`. */
export function kindOf(mimeType: unknown): MediaItem['type'] {
  const kind = textOf(mimeType)?.split('/', 1)[0];
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'file';
}

/** Media in a single string, a URL or base64. */
export const addressOrBase64 = (value: unknown): MediaFields =>
  URL_LIKE.test(textOf(value)?.slice(0, 40) ?? '') ? { url: value } : { base64: value };

/** SHA-256 of base64 that is too large to show; undefined for smaller ones. */
export function hashOfLarge(base64: string): string | undefined {
  return base64.length > MAX_SHOWN_LENGTH
    ? createHash('sha256').update(base64, 'base64').digest('hex')
    : undefined;
}

/** Replaces large media by `…` and adds their SHA-256 and size in bytes to extras. */
export const withoutLargeMedia = (messages: Message[]): Message[] =>
  messages.map((message) => ({
    ...message,
    content: message.content.map((item) => {
      const base64 = 'base64' in item ? item.base64 : undefined;
      const sha256 = base64 && hashOfLarge(base64);
      if (!base64 || !sha256) return item;
      const size = Buffer.byteLength(base64, 'base64');
      return { ...item, base64: '…', extras: { ...item.extras, sha256, size } };
    }),
  }));
