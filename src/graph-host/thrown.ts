import { fileURLToPath } from 'node:url';
import { packageRoot } from '../platform/package-root.ts';

const LONGEST = 2_000;
// Precedes the location in the TypeScript compiler's message.
const TRANSFORM_FAILED = /Transform failed with \d+ errors?:\n/;

/** Describes an error thrown by a project's code: its location, class and message, with further lines indented. */
export function describeThrown(error: unknown): string {
  const isError = error instanceof Error || isErrorLike(error);
  const text = isError ? `${error.name}: ${error.message}` : String(error);
  const place = isError ? placeOf(error) : undefined;
  return [...(place ? [place] : []), text.trim().replace(TRANSFORM_FAILED, '')]
    .join(': ')
    .slice(0, LONGEST)
    .replaceAll(/\s*\n\s*/g, '\n  ');
}

// A frame, or the line above the source of a syntax error.
const PLACE = /^(?: +at (?:.*[ (])?)?((?:file:\/\/|\/|[A-Z]:\\)[^()\n]+?:\d+(?::\d+)?)\)?$/gm;
const OURS = ['dist/', 'src/'].map((name) => fileURLToPath(new URL(name, packageRoot)));

/** File and line of the innermost stack frame in the project's own code. */
function placeOf({ stack = '' }: Error): string | undefined {
  const places = [...stack.matchAll(PLACE)].map(([, place = '']) => place.replace(/^file:\/\//, ''));
  const found = places.find((place) => !place.includes('node_modules/'));
  return OURS.some((folder) => found?.includes(folder)) ? undefined : found;
}

// Errors from another realm (a vm context) are not instances of our Error.
const isErrorLike = (value: unknown): value is Error =>
  typeof value === 'object' && value !== null && 'message' in value && 'name' in value;
