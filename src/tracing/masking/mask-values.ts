import type { JsonObject } from '../../platform/schema.ts';
import { endOfString, isKey, QUOTE } from '../json/json-slices.ts';
import { isMarked } from '../json/lossless-numbers.ts';
import type { Mask } from './mask-rules.ts';

/** Masks the strings in JSON text and keeps everything else. */
export function maskJson(body: Buffer, masks: Mask[]): Buffer {
  const pieces: Buffer[] = [];
  let kept = 0;
  for (let at = body.indexOf(QUOTE); at >= 0; at = body.indexOf(QUOTE, at)) {
    const end = endOfString(body, at);
    if (!isKey(body, end)) {
      const text = JSON.parse(body.toString('utf8', at, end)) as string;
      const masked = maskText(text, masks);
      if (masked !== text) {
        pieces.push(body.subarray(kept, at), Buffer.from(JSON.stringify(masked)));
        kept = end;
      }
    }
    at = end;
  }
  return Buffer.concat([...pieces, body.subarray(kept)]);
}

/** Masks the strings in a value, but not property names. Returns the same value if nothing matched. */
export function maskValue<Value>(value: Value, masks: Mask[]): Value {
  if (typeof value === 'string') return maskText(value, masks) as Value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => maskValue(item, masks));
    return items.some((item, index) => item !== value[index]) ? (items as Value) : value;
  }
  const changes = Object.entries(value as JsonObject).flatMap(([key, item]) => {
    const masked = maskValue(item, masks);
    return masked === item ? [] : [[key, masked] as const];
  });
  return changes.length > 0 ? { ...value, ...Object.fromEntries(changes) } : value;
}

function maskText(text: string, masks: Mask[]): string {
  if (isMarked(text)) return text;
  let masked = text;
  for (const { regex, replacement } of masks)
    if (regex.test(masked)) masked = regex.matcher(masked).replaceAll(() => replacement);
  return masked;
}
