/** The text that word searches match: lower-case JSON as JavaScript serialises it. */
export const searchedText = (text: string): string =>
  // Some clients escape every non-ASCII letter.
  (text.includes('\\u') ? JSON.stringify(JSON.parse(text)) : text).toLowerCase();
