import { storableText } from '../../platform/storable-text.ts';
import { EmptyNamespace, InvalidNamespace } from './store-errors.ts';

/** Labels a namespace must begin or end with; `*` matches any one label. */
export interface NamespaceMatch {
  type: 'prefix' | 'suffix';
  path: readonly string[];
}

// An index row holds both and must fit in a third of a page.
const LONGEST_NAME_BYTES = 2_000;

/** Validates an item's namespace and key before a write. Throws EmptyNamespace, InvalidNamespace. */
export function checkItemName(namespace: readonly unknown[], key: string): void {
  if (namespace.length === 0) throw new EmptyNamespace();
  checkLabels(namespace);
  if (namespace[0] === 'langgraph') throw new InvalidNamespace(`The first label cannot be 'langgraph'`);
  const bytes = Buffer.byteLength(encodeNamespace(namespace as string[])) + Buffer.byteLength(key);
  if (bytes > LONGEST_NAME_BYTES) {
    throw new InvalidNamespace(`Namespace and key have ${bytes} bytes; ${LONGEST_NAME_BYTES} are allowed`);
  }
}

/** Throws InvalidNamespace for labels that no namespace can have. */
export function checkLabels(labels: readonly unknown[]): void {
  for (const label of labels) {
    if (typeof label !== 'string')
      throw new InvalidNamespace(`Namespace label ${String(label)} is not a string`);
    if (label === '') throw new InvalidNamespace('Namespace labels cannot be empty');
    if (label.includes('.')) throw new InvalidNamespace(`Namespace label '${label}' contains a period`);
  }
}

/**
 * Encodes a namespace for its column. A dot inside a label is doubled, so that a namespace that can't be stored never
 * collides with one that can, and reading it finds nothing.
 */
export const encodeNamespace = (labels: readonly string[]): string =>
  labels.map((label) => `${storableText(String(label)).replaceAll('.', '..')}.`).join('');

export const decodeNamespace = (text: string): string[] => text.slice(0, -1).split('.');

/** Bounds of all namespaces under a prefix; the upper bound is exclusive. */
export function namespaceRange(prefix: readonly string[]): [from: string, to: string] | undefined {
  if (prefix.length === 0) return undefined;
  const from = encodeNamespace(prefix);
  // The character after the dot.
  return [from, `${from.slice(0, -1)}/`];
}

const labelPattern = (label: string): string =>
  label === '*' ? '[^.]+\\.' : encodeNamespace([label]).replaceAll(/[\\^$.|?*+()[\]{}]/g, String.raw`\$&`);

/** Regular expression over the namespace column; undefined if the range of the leading labels already covers it. */
export function namespacePattern({ type, path }: NamespaceMatch): string | undefined {
  if (path.length === 0 || (type === 'prefix' && !path.includes('*'))) return undefined;
  const labels = path.map((label) => labelPattern(String(label))).join('');
  return type === 'prefix' ? `^${labels}` : `(^|\\.)${labels}$`;
}

/** The labels before the first wildcard. */
export function literalPrefix({ type, path }: NamespaceMatch): readonly string[] {
  if (type === 'suffix') return [];
  const wildcard = path.indexOf('*');
  return wildcard === -1 ? path : path.slice(0, wildcard);
}
