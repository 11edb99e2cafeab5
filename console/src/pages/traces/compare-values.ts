export type Change = 'same' | 'changed' | 'left' | 'right';

/** A path in two values: `messages.0.content`. Undefined if missing on a side. */
export interface ComparedRow {
  path: string;
  left: string | undefined;
  right: string | undefined;
  change: Change;
}

/** Compares two values leaf by leaf, in the order of the left one. */
export function compareValues(left: unknown, right: unknown): ComparedRow[] {
  const [ofLeft, ofRight] = [leavesOf(left), leavesOf(right)];
  return [...new Set([...ofLeft.keys(), ...ofRight.keys()])].map((path) => {
    const [one, other] = [ofLeft.get(path), ofRight.get(path)];
    const change =
      one === other ? 'same' : one === undefined ? 'right' : other === undefined ? 'left' : 'changed';
    return { path, left: one, right: other, change };
  });
}

function leavesOf(value: unknown, path = '', found = new Map<string, string>()): Map<string, string> {
  const isInner = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  if (!isInner) {
    if (value !== undefined) found.set(path, typeof value === 'string' ? value : JSON.stringify(value));
    return found;
  }
  for (const [key, inner] of Object.entries(value)) leavesOf(inner, path ? `${path}.${key}` : key, found);
  return found;
}

/** Splits two texts into common prefix, difference and common suffix. */
export function differingPart(one: string, other: string): [string, string, string][] {
  const shorter = Math.min(one.length, other.length);
  let begin = 0;
  while (begin < shorter && one[begin] === other[begin]) begin++;
  let end = 0;
  while (end < shorter - begin && one.at(-1 - end) === other.at(-1 - end)) end++;
  return [one, other].map((text) => [
    text.slice(0, begin),
    text.slice(begin, text.length - end),
    text.slice(text.length - end),
  ]);
}
