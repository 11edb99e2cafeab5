/** An error with an HTTP status whose message may be shown to the caller. Everything else is answered as a bare 500. */
export abstract class PublicError extends Error {
  abstract readonly status: number;
  /** What the answer's `detail` holds where the message is not enough. */
  readonly detail?: unknown;
  /** Response headers that belong to the error, such as `retry-after`. */
  readonly headers?: Record<string, string>;
}

/**
 * Makes an error class with a fixed name, HTTP status and message. The name is also the Temporal failure type
 * that retry policies list, so it is never renamed.
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
/** What passes by itself; clients may try again soon. */
export class Unavailable extends defineError('Unavailable', 503, (detail: string) => detail) {
  override readonly headers = { 'retry-after': '1' };
}
