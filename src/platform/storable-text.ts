/** What Postgres cannot hold as text, U+0000 and halves of surrogate pairs, becomes U+FFFD (contract §1.1). */
export const storableText = (text: string): string =>
  text
    .replaceAll('\0', '\uFFFD')
    .replaceAll(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, '\uFFFD');
