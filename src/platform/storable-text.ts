/** Replaces U+0000 and lone surrogates, which Postgres cannot store, by U+FFFD (contract §1.1). */
export const storableText = (text: string): string =>
  text
    .replaceAll('\0', '\uFFFD')
    .replaceAll(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, '\uFFFD');
