import { defineError } from '../../../platform/errors.ts';

/** `at` is zero-based; the message counts from one. */
export const InvalidFilter = defineError(
  'InvalidFilter',
  400,
  (detail: string, at: number) => `Invalid filter at character ${at + 1}: ${detail}`,
);
