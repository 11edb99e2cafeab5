/** Parses JSON; undefined for an empty text. Throws SyntaxError. */
export const readJson = (text: string): unknown => (text.trim() === '' ? undefined : JSON.parse(text));

/** Error message for invalid JSON; undefined if valid. */
export function jsonFault(text: string): string | undefined {
  try {
    readJson(text);
    return undefined;
  } catch (error) {
    return `Invalid JSON: ${(error as Error).message}`;
  }
}

/** Like `jsonFault`, but also requires an object or an empty text. */
export function objectFault(text: string): string | undefined {
  const fault = jsonFault(text);
  if (fault || text.trim() === '') return fault;
  const value = readJson(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? undefined
    : 'Must be an object: {"name": "value"}';
}

export const jsonText = (value: unknown): string => JSON.stringify(value, null, 2) ?? '';
