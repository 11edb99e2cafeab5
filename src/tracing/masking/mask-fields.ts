import type { Mask } from './mask-rules.ts';
import { maskValue } from './mask-values.ts';

const TEXTUAL = /^(?:text\/|application\/(?:[\w.+-]*\+)?(?:json|jsonl|xml|yaml)\b)/i;

/** Masks attachments with a text type. Returns the same bytes if nothing matches. */
export function maskAttachment<Attachment extends { mime_type: string; bytes: Buffer }>(
  attachment: Attachment,
  masks: Mask[],
): Attachment {
  if (masks.length === 0 || !TEXTUAL.test(attachment.mime_type)) return attachment;
  const text = attachment.bytes.toString('utf8');
  const masked = maskValue(text, masks);
  return masked === text ? attachment : { ...attachment, bytes: Buffer.from(masked) };
}

/** Masks the given fields of an object. */
export function maskFields<Row extends object>(row: Row, fields: (keyof Row)[], masks: Mask[]): Row {
  if (masks.length === 0) return row;
  const changed: Partial<Row> = {};
  for (const field of fields) if (field in row) changed[field] = maskValue(row[field], masks);
  return { ...row, ...changed };
}
