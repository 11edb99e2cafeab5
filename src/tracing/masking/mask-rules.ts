import { RE2JS } from 're2js';
import { Type } from 'typebox';
import { defineError } from '../../platform/errors.ts';
import { InvalidSetting } from '../../platform/settings.ts';
import { compileValidator } from '../../platform/schema.ts';

/** What is masked: each match of `pattern` becomes `replacement`. Patterns are those of RE2: no input makes them slow. */
export const MaskRule = Type.Object(
  {
    pattern: Type.String({ minLength: 1, maxLength: 1_000 }),
    replacement: Type.Optional(Type.String({ maxLength: 200 })),
  },
  { additionalProperties: false },
);
export interface MaskRule {
  pattern: string;
  replacement?: string;
}
export const MaskRules = Type.Object({ rules: Type.Array(MaskRule, { maxItems: 50 }) });

/** A rule, ready. */
export interface Mask {
  regex: RE2JS;
  replacement: string;
}

const MASKED = '[masked]';
export const InvalidMask = defineError('InvalidMask', 422, (detail: string) => detail);

/** Throws InvalidMask. */
export const compileMasks = (rules: MaskRule[]): Mask[] =>
  rules.map(({ pattern, replacement = MASKED }) => {
    try {
      return { regex: RE2JS.compile(pattern), replacement };
    } catch (error) {
      throw new InvalidMask(`${pattern} is no pattern: ${(error as Error).message}`);
    }
  });

/** Rules of the setting SLIPWAY_TRACE_MASKS. Throws InvalidSetting. */
export function readMasks(text: string | undefined): Mask[] {
  if (!text) return [];
  try {
    const body = { rules: JSON.parse(text) as MaskRule[] };
    compileValidator(MaskRules, 'body')(body);
    return compileMasks(body.rules);
  } catch (error) {
    throw new InvalidSetting(`SLIPWAY_TRACE_MASKS is no list of rules: ${(error as Error).message}`);
  }
}
