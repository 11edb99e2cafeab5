import { createHash } from 'node:crypto';
import type { JsonObject } from '../../platform/schema.ts';
import { given, textOf } from './json-shape.ts';
import type { MediaItem, Message } from './message.ts';

// Larger media are told by their hash where only an impression is wanted (contract §2.2).
const LARGEST_SHOWN = 32 * 1024;
const DATA_URI = /^data:([^;,]*)(?:;[^;,]*)*;base64,/i;
const URL_LIKE = /^[a-z][a-z0-9+.-]*:/i;

export interface MediaFields {
  /** An address; a base64 `data:` one is taken apart. */
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
  // Of a data URI no more is looked at than its head.
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

/** The kind of media a type such as `audio/wav` says. */
export function kindOf(mimeType: unknown): MediaItem['type'] {
  const kind = textOf(mimeType)?.split('/', 1)[0];
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'file';
}

/** Media in one string: an address or base64. */
export const addressOrBase64 = (value: unknown): MediaFields =>
  URL_LIKE.test(textOf(value)?.slice(0, 40) ?? '') ? { url: value } : { base64: value };

/** Base64 text that is too large to be shown, told by its hash; undefined for one that is not. */
export function hashOfLarge(base64: string): string | undefined {
  return base64.length > LARGEST_SHOWN
    ? createHash('sha256').update(base64, 'base64').digest('hex')
    : undefined;
}

/** Messages with `…` in the place of large media, whose SHA-256 and size in bytes are in extras. */
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
