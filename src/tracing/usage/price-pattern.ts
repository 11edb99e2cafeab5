import { RE2JS } from 're2js';
import { InvalidRequest } from '../../platform/errors.ts';

// Time is linear in the text with this engine, whatever the pattern; its program grows with the pattern.
export const LONGEST_PATTERN = 500;

/** A pattern that names of models are searched for. Throws InvalidRequest for one that is none. */
export function readPattern(text: string): RE2JS {
  try {
    return RE2JS.compile(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'no regular expression';
    throw new InvalidRequest(`match_pattern: ${reason.slice(0, 200)}`);
  }
}
