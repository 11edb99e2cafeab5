/**
 * For validators of schemas that typebox has built for us: checking those against the schema of schemas would cost each
 * start 40 ms.
 */
export const TRUSTED_SCHEMAS = { strict: false, meta: false, validateSchema: false } as const;
