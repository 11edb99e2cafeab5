import { Ajv } from 'ajv';
import type { Static, TObject, TProperties } from 'typebox';
import { TRUSTED_SCHEMAS } from './trusted-schemas.ts';

/** An invalid setting. The message is one line: which setting, why, and how to fix it. */
export class InvalidSetting extends Error {
  override readonly name = 'InvalidSetting';
}

// Their values are not repeated in errors, which go to logs.
const IS_SECRET = /(?:_(?:KEY|SECRET|TOKEN|PASSWORD)|DATABASE_URL)$/;

const ajv = new Ajv({ ...TRUSTED_SCHEMAS, coerceTypes: true });

/** Reads the schema's settings from the environment. Throws InvalidSetting. */
export function readSettings<Schema extends TObject>(schema: Schema, env: NodeJS.ProcessEnv): Static<Schema> {
  const given: Record<string, unknown> = {};
  const properties: TProperties = {};
  for (const [name, property] of Object.entries(schema.properties)) {
    const value = env[name]?.trim();
    if (value) {
      given[name] = value;
      properties[name] = property;
    } else if ('default' in property) given[name] = property.default;
  }
  // Compiling all would take a tenth of each start.
  const validate = ajv.compile({ ...schema, properties });
  if (validate(given)) return given as Static<Schema>;
  const { instancePath, message, keyword, params } = validate.errors![0]!;
  const name = instancePath.slice(1) || String((params as { missingProperty?: string }).missingProperty);
  const property = (schema.properties as Record<string, { description?: string; enum?: string[] }>)[name];
  const allowed = property?.enum ? ` (${property.enum.join(', ')})` : '';
  const shown = IS_SECRET.test(name) ? name : `${name}=${JSON.stringify(env[name])}`;
  throw new InvalidSetting(
    keyword === 'required'
      ? `${name} is not set: ${property?.description ?? 'required'}`
      : `${shown} ${message ?? 'is invalid'}${allowed}: ${property?.description ?? ''}`,
  );
}
