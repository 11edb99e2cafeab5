/** What a text of JSON stands for; undefined for an empty one. Throws SyntaxError. */
export const readJson = (text: string): unknown => (text.trim() === '' ? undefined : JSON.parse(text));

/** What is wrong with it, in words; undefined when nothing is. */
export function jsonFault(text: string): string | undefined {
  try {
    readJson(text);
    return undefined;
  } catch (error) {
    return `This is not JSON: ${(error as Error).message}`;
  }
}

/** As `jsonFault`, of what must be an object (or nothing). */
export function objectFault(text: string): string | undefined {
  const fault = jsonFault(text);
  if (fault || text.trim() === '') return fault;
  const value = readJson(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? undefined
    : 'It must be an object: {"name": "value"}';
}

export const jsonText = (value: unknown): string => JSON.stringify(value, null, 2) ?? '';
