import { redact } from './redact.ts';

/** What callers may know of a failure. */
export interface PublicFailure {
  error: string;
  message: string;
}

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

/** What of a failure callers may see (contract §1.2): the class always, the message of built-in classes only, redacted. */
export function publicFailure(error: unknown): PublicFailure {
  if (!isErrorLike(error)) return { error: 'Error', message: redact(textOf(error)) };
  const name = errorClass(error);
  const known = BUILT_IN.has(name) || isEngineError(error, name);
  return {
    error: redact(name) || 'Error',
    message: known ? redact(error.message) : 'An internal error occurred',
  };
}

// By shape: an error of another realm, or one that was stored, is one too.
const isErrorLike = (value: unknown): value is Error =>
  typeof value === 'object' && value !== null && typeof (value as Error).message === 'string';

/** The error's own name, or else that of its class; empty for an anonymous class. */
export function errorClass({ name, constructor }: Error): string {
  if (typeof name === 'string' && name && name !== 'Error') return name;
  const className: unknown = (constructor as { name?: unknown } | undefined)?.name;
  return typeof className === 'string' && className !== 'Object' ? className : 'Error';
}

const isEngineError = (error: Error, name: string): boolean =>
  'lc_error_code' in error || name.startsWith('Graph');

/** Anything may be thrown, also what cannot be made a text. */
function textOf(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return 'An internal error occurred';
  }
}
