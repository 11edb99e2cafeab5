import { defineError } from '../../platform/errors.ts';

/** Input that can never be read. Exporters give up on 400 and retry anything else (contract §1.9). */
export const InvalidTraces = defineError('InvalidTraces', 400, (detail: string) => detail);

/** Limit on the nesting of attribute values. */
export const MAX_DEPTH = 100;
export const TooDeep = defineError(
  'TooDeep',
  400,
  () => `An attribute may not be nested deeper than ${MAX_DEPTH} levels`,
);

export const TooManySpans = defineError(
  'TooManySpans',
  413,
  (most: number) => `A request may contain at most ${most} spans; send smaller batches`,
);
