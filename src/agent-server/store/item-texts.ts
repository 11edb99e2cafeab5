// A name, an index in brackets, or several paths in braces.
const STEP = /\{[^}]*\}|\[[^\]]*\]|[^.[\]{}]+/g;

/**
 * The non-blank texts that the index paths select from a value: `$` is the whole value as JSON; `title`,
 * `meta.title`, `chapters[*].text`, `authors[0]`, `tags[-1]`, `*.name` and `{title,meta.summary}` select parts of it.
 * Anything but a string is converted to JSON.
 */
export const textsAt = (value: object, paths: readonly string[]): string[] =>
  paths
    .flatMap((path) => valuesAt(value, path))
    .map((found) => (typeof found === 'string' ? found : JSON.stringify(found)))
    .filter((text) => text.trim() !== '');

function valuesAt(value: unknown, path: string): unknown[] {
  const steps = path.match(STEP) ?? [];
  const below = steps[0] === '$' ? steps.slice(1) : steps;
  const found = below.reduce<unknown[]>(
    (values, step) => values.flatMap((item) => follow(item, step)),
    [value],
  );
  return found.filter((item) => item !== null && item !== undefined);
}

function follow(value: unknown, step: string): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  if (step === '*') return Object.values(value);
  if (step.startsWith('{'))
    return step
      .slice(1, -1)
      .split(',')
      .flatMap((path) => valuesAt(value, path.trim()));
  if (step.startsWith('[')) {
    if (!Array.isArray(value)) return [];
    const index = step.slice(1, -1).trim();
    if (index === '*') return value;
    return /^-?\d+$/.test(index) ? [value.at(Number(index))] : [];
  }
  return Object.hasOwn(value, step) ? [(value as Record<string, unknown>)[step]] : [];
}
