/** A body as words are looked for in it: JSON text in lower case, as JavaScript writes it. */
export const searchedText = (text: string): string =>
  // Some clients write every letter beyond ASCII as an escape.
  (text.includes('\\u') ? JSON.stringify(JSON.parse(text)) : text).toLowerCase();
