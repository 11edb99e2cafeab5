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
  if (text.length <= 2 * DEEPEST || !isDeep(value, 1)) return { value, text };
  const raw = { __raw: text };
  return { value: raw, text: JSON.stringify(raw) };
}

const isDeep = (value: unknown, depth: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (depth > DEEPEST || Object.values(value).some((item) => isDeep(item, depth + 1)));
