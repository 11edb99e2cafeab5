import { defineError } from '../../platform/errors.ts';

// What fails the same way each time is no 5xx: clients send those again.
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
/** The embedding failed in a way that may pass. The cause is for the log only. */
export class EmbeddingUnavailable extends Unavailable {
  override readonly cause: unknown;
  constructor(cause: unknown) {
    super();
    this.cause = cause;
  }
}
