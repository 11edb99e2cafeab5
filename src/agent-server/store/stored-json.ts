// The first alternative takes escaped backslashes out of the way of the second.
const UNSTORABLE = /(\\\\)|\\u(?:0000|d[89a-f][0-9a-f]{2})/g;

/**
 * JSON text that jsonb takes: it holds neither NUL nor half a surrogate pair, which JSON text shows as escapes.
 * U+FFFD stands for them.
 */
export const storedJson = (value: unknown): string =>
  JSON.stringify(value).replace(UNSTORABLE, (_, backslash: string | undefined) => backslash ?? '\uFFFD');
