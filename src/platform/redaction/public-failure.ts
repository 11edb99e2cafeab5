import { redact } from './redact.ts';

/** The public part of a failure. */
export interface PublicFailure {
  error: string;
  message: string;
}

// Messages of built-in errors are safe to show; others may contain internals.
const BUILT_IN = new Set([
  'Error',
  'TypeError',
  'RangeError',
  'SyntaxError',
  'ReferenceError',
  'EvalError',
  'URIError',
]);

/**
 * The public part of a failure (contract §1.2): always the class, but the redacted message only for built-in classes.
 */
export function publicFailure(error: unknown): PublicFailure {
  if (!isErrorLike(error)) return { error: 'Error', message: redact(textOf(error)) };
  const name = errorClass(error);
  const known = BUILT_IN.has(name) || isEngineError(error, name);
  return {
    error: redact(name) || 'Error',
    message: known ? redact(error.message) : 'An internal error occurred',
  };
}

// Checks the shape, because errors may come from another realm or from storage.
const isErrorLike = (value: unknown): value is Error =>
  typeof value === 'object' && value !== null && typeof (value as Error).message === 'string';

/** The error's own name, or that of its class; empty for anonymous classes. */
export function errorClass({ name, constructor }: Error): string {
  if (typeof name === 'string' && name && name !== 'Error') return name;
  const className: unknown = (constructor as { name?: unknown } | undefined)?.name;
  return typeof className === 'string' && className !== 'Object' ? className : 'Error';
}

const isEngineError = (error: Error, name: string): boolean =>
  'lc_error_code' in error || name.startsWith('Graph');

/** Anything may be thrown, even values that cannot be converted to text. */
function textOf(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return 'An internal error occurred';
  }
}
