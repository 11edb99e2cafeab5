import { defineError } from '../../platform/errors.ts';

// A permanent failure must not be a 5xx, which clients retry.
export const EmbeddingRefused = defineError(
  'EmbeddingRefused',
  422,
  (status: number) => `The embedding provider refused the text with status ${status}`,
);
export const WrongEmbedding = defineError('WrongEmbedding', 422, (detail: string) => detail);

const Unavailable = defineError(
  'EmbeddingUnavailable',
  503,
  () => 'The embedding of the store is not available; try again later',
);
/** A temporary failure. The cause is for the log only. */
export class EmbeddingUnavailable extends Unavailable {
  override readonly cause: unknown;
  constructor(cause: unknown) {
    super();
    this.cause = cause;
  }
}
