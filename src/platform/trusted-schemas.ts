/** Ajv options that skip meta-schema validation of our own schemas, which would add 40 ms to each start. */
export const TRUSTED_SCHEMAS = { strict: false, meta: false, validateSchema: false } as const;
