import type { PublicFailure } from './run-settlement.ts';

// Errors of the language and of the engine explain themselves; others may carry what nobody outside should read.
const BUILT_IN = new Set([
  'Error',
  'TypeError',
  'RangeError',
  'SyntaxError',
  'ReferenceError',
  'EvalError',
  'URIError',
]);

const SECRETS: [RegExp, string][] = [
  // Where a service is, and what is asked of it.
  [/\bhttps?:\/\/[^\s'"<>]+/gi, '[redacted url]'],
  // Connection strings and URLs with credentials.
  [/\b[a-z][a-z0-9+.-]*:\/\/[^\s/@'"]+@[^\s'"]+/gi, '[redacted url]'],
  [/\b(?:postgres(?:ql)?|mysql|redis|amqp|mongodb(?:\+srv)?|temporal):\/\/[^\s'"]+/gi, '[redacted url]'],
  // Host and port, as network errors print them.
  [/\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b/g, '[redacted host]'],
  [/\b(?:getaddrinfo \w+ )\S+/g, 'getaddrinfo [redacted host]'],
  [/\b(?:[a-z0-9-]+\.)+(?:internal|local|svc|cluster|lan|corp)\b(?::\d+)?/gi, '[redacted host]'],
  [/\blocalhost:\d+/g, '[redacted host]'],
  // Absolute file paths.
  [/(?:file:\/\/)?\/(?:[\w.@+-]+\/)+[\w.@+-]+(?::\d+(?::\d+)?)?/g, '[redacted path]'],
];

// The engine's own pages about its errors help.
const EXPLANATION = /(\bhttps:\/\/docs\.langchain\.com\/[\w/.-]+)/;

/** What of a failure callers may see (contract §1.2): the class always, the message of built-in classes only, scrubbed. */
export function publicFailure(error: unknown): PublicFailure {
  if (!isErrorLike(error)) return { error: 'Error', message: scrub(String(error)) };
  const name = errorClass(error);
  const known = BUILT_IN.has(name) || isEngineError(error);
  return { error: name, message: known ? scrub(error.message) : 'An internal error occurred' };
}

// By shape: an error of another realm, or one that was stored, is one too.
const isErrorLike = (value: unknown): value is Error =>
  typeof value === 'object' && value !== null && typeof (value as Error).message === 'string';

function errorClass(error: Error): string {
  const { name, constructor } = error;
  if (name && name !== 'Error') return name;
  return constructor.name === 'Object' ? 'Error' : constructor.name;
}

const isEngineError = (error: Error): boolean =>
  'lc_error_code' in error || errorClass(error).startsWith('Graph');

export function scrub(message: string): string {
  // What the pattern captures is every second part.
  return message
    .split(EXPLANATION)
    .map((part, place) => (place % 2 === 1 ? part : scrubPart(part)))
    .join('');
}

const scrubPart = (part: string): string =>
  SECRETS.reduce((text, [pattern, shown]) => text.replaceAll(pattern, shown), part);
