import { hashOfLarge } from './media.ts';

/** Serialises JSON up to `longest` characters. The cost does not depend on the size of the value. */
export function shortJson(value: unknown, longest: number): string {
  let text = '';
  const put = (one: unknown): void => {
    if (text.length > longest) return;
    if (typeof one === 'string') text += JSON.stringify(shortText(one, longest));
    else if (typeof one !== 'object' || one === null) text += JSON.stringify(one) ?? 'null';
    else if (Array.isArray(one)) putAll('[]', one.slice(0, longest), put);
    else
      putAll('{}', Object.keys(one).slice(0, longest), (key) => {
        text += `${JSON.stringify(shortText(key as string, longest))}:`;
        put((one as Record<string, unknown>)[key as string]);
      });
  };
  const putAll = (brackets: string, all: unknown[], each: (one: unknown) => void): void => {
    text += brackets[0];
    for (const [index, one] of all.entries()) {
      if (text.length > longest) return;
      if (index > 0) text += ',';
      each(one);
    }
    text += brackets[1];
  };
  put(value);
  return text;
}

// Natural language has no such run of characters.
const BASE64 = /^(?:data:[^,]{0,100};base64,)?[A-Za-z0-9+/]{256}/;

/** Whether a text is encoded media, bare or as a data URI. */
export const isLikeMedia = (text: string): boolean => BASE64.test(text.slice(0, 400));

/** Replaces large media by their hash (contract §2.2). */
function shortText(text: string, longest: number): string {
  const sha256 = isLikeMedia(text) ? hashOfLarge(text.slice(text.indexOf(',') + 1)) : undefined;
  return sha256 ? `… sha256:${sha256}` : text.slice(0, longest + 1);
}
