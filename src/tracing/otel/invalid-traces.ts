import { defineError } from '../../platform/errors.ts';

/** What can never be read: exporters give up on 400, and try everything else again (contract §1.9). */
export const InvalidTraces = defineError('InvalidTraces', 400, (detail: string) => detail);

/** Levels that the value of an attribute may have. */
export const DEEPEST = 100;
export const TooDeep = defineError(
  'TooDeep',
  400,
  () => `An attribute may not be nested deeper than ${DEEPEST} levels`,
);

export const TooManySpans = defineError(
  'TooManySpans',
  413,
  (most: number) => `A request may hold ${most} spans; send them in smaller batches`,
);
