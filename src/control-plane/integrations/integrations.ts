import { type Static, type TSchema, Type } from 'typebox';
import { seededUuid } from '../../platform/ids.ts';
import { compileValidator, Uuid } from '../../platform/schema.ts';
import { InvalidSetting } from '../../platform/settings.ts';
import { Repository } from './integration.ts';

const Integrations = Type.Array(
  Type.Object({
    name: Type.String(),
    /** Owning tenant; available to every tenant if unset. */
    tenant_id: Type.Optional(Uuid),
    repositories: Type.Array(Repository),
  }),
);

/** A git host account and the repositories it may deploy. */
export type Integration = Static<typeof Integrations>[number] & {
  /** Derived from the name, so that every process agrees. */
  id: string;
  installation_id: number;
};

/** Parses SLIPWAY_INTEGRATIONS. Throws InvalidSetting. */
export function readIntegrations(text: string | undefined): Integration[] {
  if (!text) return [];
  const refuse = (why: string) => new InvalidSetting(`SLIPWAY_INTEGRATIONS ${why}`);
  return parse(Integrations, text, refuse).map((integration, index) => ({
    ...integration,
    id: seededUuid(`integration/${integration.name}`),
    installation_id: index + 1,
  }));
}

function parse<Schema extends TSchema>(
  schema: Schema,
  text: string,
  refuse: (why: string) => Error,
): Static<Schema> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refuse('is not JSON');
  }
  return compileValidator(schema, 'body', ([first]) =>
    refuse(`${first?.instancePath ?? ''} ${first?.message ?? 'is invalid'}`),
  )(value);
}
