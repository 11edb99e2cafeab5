import type { FuzzRequest } from './request-arbitrary.ts';

// Shorten bodies that are too long for a terminal.
const MOST_CHARS = 3_000;

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The request as a line for a shell. */
export function curlLine(base: string, { method, path, headers, body }: FuzzRequest): string {
  const words = ['curl', '-i', '--path-as-is', '-X', method];
  for (const [name, value] of Object.entries(headers))
    words.push('-H', quoted(`${name}: ${value.slice(0, 200)}`));
  if (body !== undefined) words.push('--data-binary', quoted(body.slice(0, MOST_CHARS)));
  if (body !== undefined && body.length > MOST_CHARS) words.push(`# the body has ${body.length} characters`);
  words.splice(5, 0, quoted(base + path));
  return words.join(' ');
}
