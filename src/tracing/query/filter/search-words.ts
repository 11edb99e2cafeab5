import type { BodyName, Condition } from './condition.ts';
import { InvalidFilter } from './invalid-filter.ts';

const MAX_WORDS = 20;
const COLUMNS = { name: 'name', error: 'error', metadata: 'metadata' } as const;
const BODIES: Record<string, BodyName> = {
  inputs: 'inputs',
  outputs: 'outputs',
  input: 'inputs',
  output: 'outputs',
};

/** Requires every word, ignoring case, in one field or anywhere in the run. */
export function searchCondition(field: string | undefined, text: string, at: number): Condition {
  const words = [...new Set(text.toLowerCase().split(/\s+/).filter(Boolean))];
  if (words.length > MAX_WORDS) throw new InvalidFilter(`the search has more than ${MAX_WORDS} words`, at);
  if (field === undefined)
    return {
      all: words.map((word) => ({
        any: [
          { word, columns: ['name', 'error', 'metadata'] },
          { body: { word: asInJson(word), bodies: ['inputs', 'outputs'] } },
        ],
      })),
    };
  if (Object.hasOwn(COLUMNS, field))
    return { all: words.map((word) => ({ word, columns: [COLUMNS[field as 'name']] })) };
  if (Object.hasOwn(BODIES, field))
    return { all: words.map((word) => ({ body: { word: asInJson(word), bodies: [BODIES[field]!] } })) };
  throw new InvalidFilter('search supports inputs, outputs, error, name and metadata', at);
}

const asInJson = (word: string): string => JSON.stringify(word).slice(1, -1).toLowerCase();
