import type { Mask } from './mask-rules.ts';
import { maskValue } from './mask-operation.ts';

const TEXTUAL = /^(?:text\/|application\/(?:[\w.+-]*\+)?(?:json|jsonl|xml|yaml)\b)/i;

/** Masks attachments with a text type. Returns the same bytes if nothing matches. */
export function maskAttached<Attached extends { mime_type: string; bytes: Buffer }>(
  attached: Attached,
  masks: Mask[],
): Attached {
  if (masks.length === 0 || !TEXTUAL.test(attached.mime_type)) return attached;
  const text = attached.bytes.toString('utf8');
  const masked = maskValue(text, masks);
  return masked === text ? attached : { ...attached, bytes: Buffer.from(masked) };
}

/** Masks the given fields of an object. */
export function maskFields<Said extends object>(said: Said, fields: (keyof Said)[], masks: Mask[]): Said {
  if (masks.length === 0) return said;
  const changed: Partial<Said> = {};
  for (const field of fields) if (field in said) changed[field] = maskValue(said[field], masks);
  return { ...said, ...changed };
}
