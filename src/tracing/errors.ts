import { defineError, PublicError, Unavailable } from '../platform/errors.ts';

/** A run of a batch that was rejected. `runId` is empty if unknown. */
export class InvalidRun extends PublicError {
  override readonly name = 'InvalidRun';
  readonly status = 422;
  readonly runId: string;
  constructor(runId: string, detail: string) {
    super(runId ? `Run ${runId}: ${detail}` : detail);
    this.runId = runId;
  }
}

export const ThreadNotFound = defineError('ThreadNotFound', 404, (id: string) => `Thread ${id} not found`);
export const RunNotFound = defineError('RunNotFound', 404, (id: string) => `Run ${id} not found`);
export const InvalidBatch = defineError('InvalidBatch', 422, (detail: string) => detail);
export const UnknownEncoding = defineError(
  'UnknownEncoding',
  415,
  (encoding: string) =>
    `Content-Encoding ${encoding.slice(0, 40)} is not supported; use gzip, deflate or zstd`,
);

export const FeedbackNotFound = defineError(
  'FeedbackNotFound',
  404,
  (id: string) => `Feedback ${id} not found`,
);
export const FeedbackTokenNotFound = defineError(
  'FeedbackTokenNotFound',
  404,
  () => 'Unknown feedback token',
);
export const Expired = defineError('Expired', 410, () => 'Feedback token expired');
export const FeedbackConfigDiffers = defineError(
  'FeedbackConfigDiffers',
  400,
  (key: string) => `Feedback key ${key} already has a different configuration`,
);
export const FeedbackConfigNotFound = defineError(
  'FeedbackConfigNotFound',
  404,
  (key: string) => `Feedback key ${key} is not configured`,
);
export const DatasetNotFound = defineError('DatasetNotFound', 404, (id: string) => `Dataset ${id} not found`);
export const DatasetExists = defineError(
  'DatasetExists',
  409,
  (name: string) => `Dataset ${name.slice(0, 100)} already exists`,
);
export const VersionNotFound = defineError(
  'VersionNotFound',
  404,
  (tag: string) => `Version ${tag.slice(0, 100)} not found`,
);
export const ExampleNotFound = defineError('ExampleNotFound', 404, (id: string) => `Example ${id} not found`);
export const ExampleElsewhere = defineError(
  'ExampleElsewhere',
  409,
  (id: string) => `Example ${id} belongs to another dataset`,
);
export const InvalidExample = defineError('InvalidExample', 422, (detail: string) => detail);
export const BlobNotFound = defineError('BlobNotFound', 404, () => 'Invalid or expired link');
export const ShareNotFound = defineError('ShareNotFound', 404, () => 'Unknown share token');
export const ComparisonNotFound = defineError(
  'ComparisonNotFound',
  404,
  (id: string) => `Comparative experiment ${id} not found`,
);
export const QueueNotFound = defineError(
  'QueueNotFound',
  404,
  (id: string) => `Annotation queue ${id} not found`,
);
export const QueueExists = defineError(
  'QueueExists',
  409,
  (id: string) => `Annotation queue ${id} already exists`,
);
export const QueueRunNotFound = defineError(
  'QueueRunNotFound',
  404,
  () => 'Run not found in the annotation queue',
);

/** Clients retry. */
export class Busy extends Unavailable {
  override readonly headers = { 'retry-after': '1' };
  constructor() {
    super('Too many writes are pending; retry shortly');
  }
}
