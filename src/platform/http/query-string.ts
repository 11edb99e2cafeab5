import type { TObject } from 'typebox';
import { storableText } from '../storable-text.ts';

interface QuerySchema {
  type?: string;
  anyOf?: QuerySchema[];
}

const isList = (schema: QuerySchema): boolean => schema.type === 'array' || !!schema.anyOf?.some(isList);
const isBoolean = (schema: QuerySchema): boolean =>
  schema.type === 'boolean' || !!schema.anyOf?.some(isBoolean);

/**
 * Parses a query string by its schema (contract §1.1). Lists may be repeated keys, comma-separated or a JSON array,
 * and count as missing if empty. Booleans may be true, false, 1 or 0 in any case. Other values stay text for the
 * validator to coerce.
 */
export function readQuery(search: URLSearchParams, schema: TObject): Record<string, unknown> {
  const query: Record<string, unknown> = {};
  for (const [key, property] of Object.entries(schema.properties as Record<string, QuerySchema>)) {
    const given = search.getAll(key).map(storableText);
    if (isList(property)) {
      // The Python client sends an empty text for a list that was not given.
      const items = given.flatMap(splitList).filter((item) => item !== '');
      if (items.length > 0) query[key] = items;
    } else if (given.length === 0) continue;
    else if (isBoolean(property)) query[key] = readBoolean(given.at(-1)!);
    else query[key] = given.at(-1)!;
  }
  return query;
}

function splitList(text: string): unknown[] {
  if (text.startsWith('[')) {
    try {
      const parsed: unknown = JSON.parse(text);
      if (Array.isArray(parsed)) return parsed;
    } catch {
      // Not JSON; the validator reports the text itself.
    }
  }
  // SDKs also JSON-encode single strings.
  const bare = /^"(.*)"$/.exec(text)?.[1] ?? text;
  return bare.split(',').map((item) => item.trim());
}

function readBoolean(text: string): unknown {
  const lower = text.toLowerCase();
  if (lower === '1' || lower === 'true') return true;
  if (lower === '0' || lower === 'false' || lower === '') return false;
  return text;
}
