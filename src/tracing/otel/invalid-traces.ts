import { defineError } from '../../platform/errors.ts';

/** What can never be read: exporters give up on 400, and try everything else again (contract §1.9). */
export const InvalidTraces = defineError('InvalidTraces', 400, (detail: string) => detail);

export const TooManySpans = defineError(
  'TooManySpans',
  413,
  (most: number) => `A request may hold ${most} spans; send them in smaller batches`,
);
