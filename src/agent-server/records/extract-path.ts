import { InvalidRequest } from '../../platform/errors.ts';
import { Thread } from './thread.ts';

const ROOTS = ['values', 'metadata', 'config', 'interrupts'] as const;

/** A path into a thread: a JSON column, then keys and list indexes (negative ones count from the end). */
export interface ExtractPath {
  root: (typeof ROOTS)[number];
  steps: string[];
}

const ALIAS = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/;
const STEP = /\.([^.[\]]+)|\[(-?\d{1,9})\]/y;

/** Parses a path such as `values.messages[-1].content`. Throws InvalidRequest. */
export function parseExtractPath(text: string): ExtractPath {
  const root = ROOTS.find(
    (name) => text === name || text.startsWith(`${name}.`) || text.startsWith(`${name}[`),
  );
  if (!root) throw new InvalidRequest(`extract path '${text}' must start with one of: ${ROOTS.join(', ')}`);
  const steps: string[] = [];
  let at = root.length;
  while (at < text.length) {
    STEP.lastIndex = at;
    const [step, key, index] = STEP.exec(text) ?? [];
    if (step === undefined)
      throw new InvalidRequest(`extract path '${text}' is malformed at '${text.slice(at)}'`);
    steps.push((key ?? index)!);
    at += step.length;
  }
  return { root, steps };
}

/** Parses the `extract` of a search; an alias is an identifier other than a thread field. Throws InvalidRequest. */
export function parseExtract(extract: Record<string, string>): Map<string, ExtractPath> {
  const paths = new Map<string, ExtractPath>();
  for (const [alias, path] of Object.entries(extract)) {
    if (!ALIAS.test(alias)) throw new InvalidRequest(`extract alias '${alias}' must be an identifier`);
    if (Object.hasOwn(Thread.properties, alias))
      throw new InvalidRequest(`extract alias '${alias}' is the name of a field`);
    paths.set(alias, parseExtractPath(path));
  }
  return paths;
}
