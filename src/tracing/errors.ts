import { defineError, PublicError } from '../platform/errors.ts';

/** One run of a batch that cannot be stored. `runId` is empty where it is not known. */
export class InvalidRun extends PublicError {
  override readonly name = 'InvalidRun';
  readonly status = 422;
  readonly runId: string;
  constructor(runId: string, detail: string) {
    super(runId ? `Run ${runId}: ${detail}` : detail);
    this.runId = runId;
  }
}

export const RunNotFound = defineError('RunNotFound', 404, (id: string) => `Run ${id} not found`);
export const InvalidBatch = defineError('InvalidBatch', 422, (detail: string) => detail);
export const UnknownEncoding = defineError(
  'UnknownEncoding',
  415,
  (encoding: string) =>
    `Content-Encoding ${encoding.slice(0, 40)} is not supported: gzip, deflate and zstd are`,
);
