import { RE2JS } from 're2js';
import { InvalidRequest } from '../../platform/errors.ts';

// Matching is linear in the text, but compiled size grows with the pattern.
export const MAX_PATTERN_LENGTH = 500;

/** Compiles a pattern for model names. Throws InvalidRequest. */
export function readPattern(text: string): RE2JS {
  try {
    return RE2JS.compile(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'not a regular expression';
    throw new InvalidRequest(`match_pattern: ${reason.slice(0, 200)}`);
  }
}
