const TOKENS = /"(?:[^"\\]|\\.)*"|\bNaN\b|-?\bInfinity\b/g;
const DEEPEST = 200;

export interface Parsed {
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
  const strict = parse(source);
  if (strict) return shallow({ value: strict.value, text: bytes }, source);
  const mended = source.replaceAll(TOKENS, (token) => (token.startsWith('"') ? token : 'null'));
  const loose = parse(mended);
  return loose && shallow({ value: loose.value, text: Buffer.from(mended) }, mended);
}

function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

function shallow(parsed: Parsed, source: string): Parsed {
  if (source.length <= 2 * DEEPEST || !isDeep(parsed.value, 1)) return parsed;
  const value = { __raw: source };
  return { value, text: Buffer.from(JSON.stringify(value)) };
}

const isDeep = (value: unknown, depth: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (depth > DEEPEST || Object.values(value).some((item) => isDeep(item, depth + 1)));
