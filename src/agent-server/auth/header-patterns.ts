import type { IncomingHttpHeaders } from 'node:http';

/** Headers to pass, as globs (contract §13.4); singular and plural keys mean the same. */
export interface HeaderPatterns {
  includes?: string[];
  include?: string[];
  excludes?: string[];
  exclude?: string[];
}

// Credentials never reach a graph, even if the project asks for them.
const NEVER = new Set(['x-api-key', 'x-service-key', 'x-tenant-id', 'authorization']);
// Tracing headers: they name the trace a run is part of.
const ALWAYS = ['langsmith-trace', 'baggage'];

const glob = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .toLowerCase()
      .split('*')
      .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`))
      .join('.*')}$`,
  );

/** Selects the headers that a project opted into; an exclusion wins. */
export function headerPicker(
  patterns: HeaderPatterns = {},
  { always = ALWAYS } = {},
): (headers: IncomingHttpHeaders) => Record<string, string> {
  const includes = [...(patterns.includes ?? []), ...(patterns.include ?? [])].map(glob);
  const excludes = [...(patterns.excludes ?? []), ...(patterns.exclude ?? [])].map(glob);
  const wanted = (name: string) =>
    !NEVER.has(name) &&
    (always.includes(name) ||
      (includes.some((pattern) => pattern.test(name)) && !excludes.some((pattern) => pattern.test(name))));
  return (headers) => {
    const picked: Record<string, string> = {};
    for (const name in headers) {
      const value = headers[name];
      if (value !== undefined && wanted(name)) picked[name] = Array.isArray(value) ? value.join(', ') : value;
    }
    return picked;
  };
}
