import type { InvalidAnswer } from '../platform/schema.ts';
import { type FieldError, InvalidFields } from './errors.ts';

const TYPES: Record<string, string> = {
  required: 'missing',
  type: 'type_error',
  enum: 'enum',
  pattern: 'string_pattern_mismatch',
  format: 'string_format',
  minLength: 'string_too_short',
  maxLength: 'string_too_long',
  minimum: 'greater_than_equal',
  maximum: 'less_than_equal',
  minItems: 'too_short',
  maxItems: 'too_long',
};

/** Lists each fault with its location, as clients of this API expect. */
export const invalidAnswer: InvalidAnswer = (errors, part) => {
  const faults = new Map<string, FieldError>();
  for (const { instancePath, keyword, params, message = 'is invalid' } of errors) {
    const steps = instancePath.split('/').slice(1).map(asStep);
    const missing = keyword === 'required';
    const loc = [part, ...steps, ...(missing ? [String(params['missingProperty'])] : [])];
    const allowed = keyword === 'enum' ? `: ${(params['allowedValues'] as unknown[]).join(', ')}` : '';
    const msg = missing ? 'Field required' : `Value ${message}${allowed}`;
    if (!faults.has(loc.join('/')))
      faults.set(loc.join('/'), { loc, msg, type: TYPES[keyword] ?? 'value_error' });
  }
  return new InvalidFields([...faults.values()]);
};

const asStep = (step: string): string | number => {
  const text = step.replaceAll('~1', '/').replaceAll('~0', '~');
  return /^\d+$/.test(text) ? Number(text) : text;
};
