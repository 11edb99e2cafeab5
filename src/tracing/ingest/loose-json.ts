const TOKENS = /"(?:[^"\\]|\\.)*"|\bNaN\b|-?\bInfinity\b/g;
const DEEPEST = 200;
// What is little more than brackets takes thirteen times its bytes as a value.
const LARGE = 64 * 1024;
const BYTES_OF_A_VALUE = 16;

export interface Parsed {
  /** What is told from it; of a large one that has very many values, the first of them. */
  value: unknown;
  /** JSON as every reader takes it: what came, or what was made of it. */
  text: Buffer;
}

/**
 * JSON as clients write it: Python's `NaN` and `Infinity` become null (contract §1.6). What is nested too deep to be
 * worked on is kept as text. Undefined when it is no JSON.
 */
export function parseLoose(bytes: Buffer): Parsed | undefined {
  const source = bytes.toString('utf8');
  const loose = parseLooseText(source);
  return loose && { value: loose.value, text: loose.text === source ? bytes : Buffer.from(loose.text) };
}

/** The same of text. */
export function parseLooseText(source: string): { value: unknown; text: string } | undefined {
  const strict = parse(source);
  if (strict) return shallow(strict.value, source);
  const mended = source.replaceAll(TOKENS, (token) => (token.startsWith('"') ? token : 'null'));
  const loose = parse(mended);
  return loose && shallow(loose.value, mended);
}

function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

function shallow(value: unknown, text: string): { value: unknown; text: string } {
  if (text.length <= 2 * DEEPEST) return { value, text };
  const seen = { values: 0 };
  if (isDeep(value, 1, seen)) {
    const raw = { __raw: text };
    return { value: raw, text: JSON.stringify(raw) };
  }
  const most = text.length / BYTES_OF_A_VALUE;
  const isThick = text.length > LARGE && seen.values > most;
  return { value: isThick ? thinned(value, { left: most }) : value, text };
}

function isDeep(value: unknown, depth: number, seen: { values: number }): boolean {
  seen.values++;
  if (typeof value !== 'object' || value === null) return false;
  if (depth > DEEPEST) return true;
  if (Array.isArray(value)) return value.some((item) => isDeep(item, depth + 1, seen));
  for (const key in value) if (isDeep(value[key as keyof typeof value], depth + 1, seen)) return true;
  return false;
}

/** The first of its values, as many as are left. */
function thinned(value: unknown, some: { left: number }): unknown {
  some.left--;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const kept: unknown[] = [];
    for (const item of value) if (kept.push(thinned(item, some)) && some.left <= 0) break;
    return kept;
  }
  const kept: [string, unknown][] = [];
  for (const [key, item] of Object.entries(value))
    if (kept.push([key, thinned(item, some)]) && some.left <= 0) break;
  return Object.fromEntries(kept);
}
