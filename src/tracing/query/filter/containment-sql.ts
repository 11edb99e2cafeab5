import type { PairTest } from './condition.ts';

const MAX_FORMS = 60;
const MAX_PARTS = 3;
const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,10})?$/;

/**
 * Expresses "this key has this value" as containment in metadata, which can use an index; undefined for other tests.
 * Matches text, numbers and booleans, single or in a list, under the literal key or as a path.
 */
export function containmentSql(
  tests: PairTest[],
  r: string,
  bind: (value: unknown) => string,
): string | undefined {
  const [key, value, ...more] = [...tests].sort((one, other) => (one.part < other.part ? -1 : 1));
  if (!key || !value || more.length > 0 || key.part !== 'key' || value.part !== 'value') return undefined;
  const keys = valuesOf(key);
  const values = valuesOf(value);
  if (!keys || !values) return undefined;
  const scalars = values.flatMap(spellings).flatMap((scalar) => [scalar, [scalar]]);
  const forms = keys.flatMap((text) => {
    const path = String(text).split('.');
    const paths = path.length > 1 ? [[String(text)], path] : [path];
    return paths.flatMap((parts) => scalars.flatMap((scalar) => nest(parts, scalar)));
  });
  const isTooMuch =
    forms.length > MAX_FORMS || keys.some((text) => String(text).split('.').length > MAX_PARTS);
  if (isTooMuch || forms.length === 0) return undefined;
  return `(${forms.map((form) => `${r}.metadata @> ${bind(JSON.stringify(form))}::jsonb`).join(' or ')})`;
}

function valuesOf({ test, negated }: PairTest): (string | number | boolean)[] | undefined {
  if (negated) return undefined;
  if (test.op === 'eq') return [test.value];
  return test.op === 'in' ? test.values : undefined;
}

/** The spellings under which clients may have stored the value. */
function spellings(value: string | number | boolean): (string | number | boolean)[] {
  const text = String(value);
  if (text === 'true' || text === 'false') return [text, text === 'true'];
  return NUMBER.test(text) ? [text, Number(text)] : [text];
}

/** `{a: {b: value}}`, and the variants with lists along the path. */
const nest = ([key, ...rest]: string[], value: unknown): object[] =>
  rest.length === 0
    ? [{ [key!]: value }]
    : nest(rest, value).flatMap((inner) => [{ [key!]: inner }, { [key!]: [inner] }]);
