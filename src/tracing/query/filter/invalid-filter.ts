import { defineError } from '../../../platform/errors.ts';

/** `at` is the index of the character the reader stopped at; people count from 1. */
export const InvalidFilter = defineError(
  'InvalidFilter',
  400,
  (detail: string, at: number) => `Invalid filter at character ${at + 1}: ${detail}`,
);
