import { Type } from 'typebox';
import { compileValidator, StringEnum, Uuid } from '../../platform/schema.ts';
import { InvalidSetting } from '../../platform/settings.ts';
import { type Grant, ROLES } from '../principal.ts';

const OidcGroups = Type.Record(
  Type.String(),
  Type.Object({ tenant_id: Uuid, role: StringEnum(ROLES) }, { additionalProperties: false }),
);

const check = compileValidator(OidcGroups, 'body');

/** Parses SLIPWAY_OIDC_GROUPS: identity-provider groups and what they grant. Throws InvalidSetting. */
export function readGroups(text: string | undefined): Map<string, Grant> {
  if (!text) return new Map();
  try {
    return new Map(Object.entries(check(JSON.parse(text))));
  } catch (error) {
    throw new InvalidSetting(
      `SLIPWAY_OIDC_GROUPS is invalid; expected {"<group>": {"tenant_id": "…", "role": "…"}}: ${(error as Error).message}`,
    );
  }
}
