import { parseLooseText } from '../json/loose-json.ts';
import type { Attributes } from './otel-span.ts';
import { readPythonLiteral } from './python-literal.ts';

const HIGHEST_INDEX = 10_000;
const MAX_DEPTH = 20;

/** An attribute as text. Undefined if missing, empty or not a scalar. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Parses text that contains JSON or a Python literal. Returns any other value unchanged. */
export function parsed(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{"]/.test(value)) return value;
  const json = parseLooseText(value);
  // Deeply nested or inexact JSON stays text.
  if (json) return json.isDeep || !json.isExact ? value : json.value;
  return readPythonLiteral(value) ?? value;
}

/**
 * Rebuilds values that instrumentations flatten into keys: `p.0.role` and `p.0.content` under the prefix `p.` become
 * a list of one object. Undefined if no key has the prefix.
 */
export function unflattened(attributes: Attributes, prefix: string): unknown {
  let root: Node | undefined;
  for (const key in attributes)
    if (key.startsWith(prefix))
      insertAt((root ??= new Map()), key.slice(prefix.length).split('.'), attributes[key]);
  return root && valueOf(root);
}

type Node = Map<string, unknown>;

function insertAt(node: Node, path: string[], value: unknown): void {
  const [first = '', ...rest] = path;
  if (rest.length === 0 || path.length > MAX_DEPTH) {
    // Ignores a value for a key that also has nested parts.
    if (!(node.get(first) instanceof Map)) node.set(path.join('.'), value);
    return;
  }
  const inner = node.get(first);
  const next: Node = inner instanceof Map ? (inner as Node) : new Map();
  node.set(first, next);
  insertAt(next, rest, value);
}

function valueOf(node: unknown): unknown {
  if (!(node instanceof Map)) return node;
  const entries = [...(node as Node)];
  const isList = entries.every(([key]) => /^\d+$/.test(key) && Number(key) < HIGHEST_INDEX);
  if (!isList) return Object.fromEntries(entries.map(([key, item]) => [key, valueOf(item)]));
  return entries.sort(([one], [other]) => Number(one) - Number(other)).map(([, item]) => valueOf(item));
}
