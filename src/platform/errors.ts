/** An error with an HTTP status whose message may be shown to the caller. Other errors are answered as a bare 500. */
export abstract class PublicError extends Error {
  abstract readonly status: number;
  /** Replaces the message in the response's `detail`. */
  readonly detail?: unknown;
  /** Response headers such as `retry-after`. */
  readonly headers?: Record<string, string>;
}

/**
 * Defines an error class with a fixed name, HTTP status and message. Retry policies list the name as a Temporal
 * failure type, so never rename it.
 */
export function defineError<Args extends unknown[]>(
  name: string,
  status: number,
  message: (...args: Args) => string,
) {
  return {
    [name]: class extends PublicError {
      readonly status = status;
      override readonly name = name;
      constructor(...args: Args) {
        super(message(...args));
      }
    },
  }[name]!;
}

export const InvalidRequest = defineError('InvalidRequest', 422, (detail: string) => detail);
export const InvalidJson = defineError('InvalidJson', 422, () => 'Invalid JSON in request body');
export const BadRequest = defineError('BadRequest', 400, (detail: string) => detail);
export const NotFound = defineError('NotFound', 404, (detail: string = 'Not Found') => detail);
export const TooLarge = defineError(
  'TooLarge',
  413,
  (limit: number) => `Request body exceeds ${limit} bytes`,
);
/** A transient failure that clients may retry soon. */
export class Unavailable extends defineError('Unavailable', 503, (detail: string) => detail) {
  override readonly headers = { 'retry-after': '1' };
}
