// The first alternative consumes escaped backslashes so that the second can't match them.
const UNSTORABLE = /(\\\\)|\\u(?:0000|d[89a-f][0-9a-f]{2})/g;

/**
 * Serializes to JSON that jsonb accepts: replaces NUL and lone surrogates, which JSON writes as escapes, with U+FFFD.
 */
export const storedJson = (value: unknown): string =>
  JSON.stringify(value).replace(UNSTORABLE, (_, backslash: string | undefined) => backslash ?? '\uFFFD');
