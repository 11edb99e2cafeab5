import { RE2JS } from 're2js';
import { Type } from 'typebox';
import { defineError } from '../../platform/errors.ts';
import { InvalidSetting } from '../../platform/settings.ts';
import { compileValidator } from '../../platform/schema.ts';

/** Replaces each match of `pattern` by `replacement`. Patterns use RE2, which runs in linear time. */
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

/** A compiled rule. */
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
      throw new InvalidMask(`Invalid pattern ${pattern}: ${(error as Error).message}`);
    }
  });

/** Parses the setting SLIPWAY_TRACE_MASKS. Throws InvalidSetting. */
export function readMasks(text: string | undefined): Mask[] {
  if (!text) return [];
  try {
    const body = { rules: JSON.parse(text) as MaskRule[] };
    compileValidator(MaskRules, 'body')(body);
    return compileMasks(body.rules);
  } catch (error) {
    throw new InvalidSetting(`SLIPWAY_TRACE_MASKS is not a valid list of rules: ${(error as Error).message}`);
  }
}
