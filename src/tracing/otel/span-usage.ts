import { isObject } from '../../platform/json-object.ts';
import { parsed } from './attribute-values.ts';
import { TABLES } from './attribute-tables.ts';
import type { Attributes } from './otel-span.ts';

/** Run types with their own tokens. Other types repeat those of nested calls (contract §2.3). */
export const ownsUsage = (runType: string): boolean => runType === 'llm' || runType === 'embedding';

/** Token counts of all spellings as one usage_metadata; undefined if there are none. */
export function usageOf(attributes: Attributes): Attributes | undefined {
  const usage: Attributes = {};
  for (const [key, path] of TABLES.usage) {
    const value = attributes[key];
    if (value === undefined || value === null) continue;
    if (path === '') {
      const whole = parsed(value);
      // The client's complete usage_metadata replaces single counts.
      if (isObject(whole) && Object.keys(whole).length > 0) return whole;
    } else put(usage, path, value);
  }
  if (Object.keys(usage).length === 0) return undefined;
  const { input_tokens: input, output_tokens: output } = usage;
  if (typeof input === 'number' || typeof output === 'number')
    usage['total_tokens'] ??=
      (typeof input === 'number' ? input : 0) + (typeof output === 'number' ? output : 0);
  return usage;
}

/** The first value wins. */
function put(usage: Attributes, path: string, value: unknown): void {
  const [name = '', detail] = path.split('.');
  if (detail !== undefined) {
    const count = countOf(value);
    const details = (usage[name] ??= {}) as Attributes;
    if (count !== undefined) details[detail] ??= count;
  } else if (name.endsWith('_details')) {
    const details = parsed(value);
    if (isObject(details)) usage[name] = { ...details, ...(usage[name] as Attributes | undefined) };
  } else {
    const count = countOf(value);
    if (count !== undefined) usage[name] ??= count;
  }
}

function countOf(value: unknown): number | undefined {
  if (value === '' || (typeof value !== 'number' && typeof value !== 'string')) return undefined;
  const count = Number(value);
  return Number.isFinite(count) && count >= 0 ? count : undefined;
}
