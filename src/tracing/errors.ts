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

export const FeedbackNotFound = defineError(
  'FeedbackNotFound',
  404,
  (id: string) => `Feedback ${id} not found`,
);
export const FeedbackTokenNotFound = defineError(
  'FeedbackTokenNotFound',
  404,
  () => 'This address is for no feedback',
);
export const Expired = defineError('Expired', 410, () => 'This address is no longer valid');
export const FeedbackConfigDiffers = defineError(
  'FeedbackConfigDiffers',
  400,
  (key: string) => `Feedback ${key} is configured otherwise`,
);
export const FeedbackConfigNotFound = defineError(
  'FeedbackConfigNotFound',
  404,
  (key: string) => `Feedback ${key} is not configured`,
);
